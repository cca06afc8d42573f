// A JSON API of one resource: curl --json '{"title":"Write tests"}' http://127.0.0.1:5000/tasks
import { abort, created, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, bool, int, optional } from 'propylon/converters'
import { serve } from 'propylon/node'
import * as v from 'valibot'

const NewTask = v.object({
  title: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  done: v.optional(v.boolean(), false),
})
type NewTask = v.InferOutput<typeof NewTask>
const Task = v.object({ id: v.number(), ...NewTask.entries })
const tasks = new Map<number, v.InferOutput<typeof Task>>()

class TasksController extends WSGIController {
  static args = {
    index: { done: optional(bool) },
    create: { task: body(NewTask) },
    show: { id: int },
    update: { id: int, task: body(NewTask) },
  }
  static results = { index: v.array(Task), create: Task, show: Task, update: Task }

  /** GET /tasks?done=false */
  index(done?: boolean) {
    return [...tasks.values()].filter((task) => done === undefined || task.done === done)
  }

  /** POST /tasks */
  create(task: NewTask) {
    const made = { id: tasks.size + 1, ...task }
    tasks.set(made.id, made)
    return created(this.url('task', { id: made.id }), made)
  }

  /** GET /tasks/ID */
  show(id: number) {
    return tasks.get(id) ?? abort(404, `There is no task ${id}.`)
  }

  /** PUT /tasks/ID */
  update(id: number, task: NewTask) {
    const changed = { ...this.show(id), ...task }
    tasks.set(id, changed)
    return changed
  }
}

const map = new Mapper().resource('task', 'tasks', { only: ['index', 'create', 'show', 'update'] })
const app = new FrameworkApp({
  map,
  controllers: { tasks: TasksController },
  openapi: { title: 'Tasks', version: '1.0.0' },
})
const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(`${server.url}/tasks`)
