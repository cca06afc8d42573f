import { WSGIController } from 'propylon'
export class HelloController extends WSGIController {
  greet(id: string) {
    return `<!doctype html><title>edition 0</title><body>Hello, ${id}!</body>`
  }
}
