// A JSON API of one resource: curl -d '{"title":"Write tests"}' -H 'Content-Type: application/json' http://127.0.0.1:5000/tasks
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { bool, int, optional } from 'propylon/converters'
import { serve } from 'propylon/node'
import * as v from 'valibot'

const Task = v.object({
  title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  done: v.optional(v.boolean(), false),
})

type Task = v.InferOutput<typeof Task> & { id: number }
const tasks = new Map<number, Task>()

class TasksController extends WSGIController {
  static args = {
    index: { done: optional(bool) },
    show: { id: int },
    update: { id: int },
  }

  /** GET /tasks?done=false */
  index(done?: boolean) {
    return [...tasks.values()].filter((task) => done === undefined || task.done === done)
  }

  /** POST /tasks */
  async create() {
    const id = tasks.size + 1
    this.response.status = 201
    this.response.headers.set('Location', this.url('task', { id }))
    return this.#save({ id, ...(await this.#sent()) })
  }

  /** GET /tasks/ID */
  show(id: number) {
    return tasks.get(id) ?? abort(404, `There is no task ${id}.`)
  }

  /** PUT /tasks/ID */
  async update(id: number) {
    return this.#save({ ...this.show(id), ...(await this.#sent()) })
  }

  #save(task: Task) {
    tasks.set(task.id, task)
    return task
  }

  async #sent() {
    const result = v.safeParse(Task, await this.request.json())
    return result.success ? result.output : abort(422, v.summarize(result.issues))
  }
}

const map = new Mapper().resource('task', 'tasks', { only: ['index', 'create', 'show', 'update'] })
const app = new FrameworkApp({ map, controllers: { tasks: TasksController } })
const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(`${server.url}/tasks`)
