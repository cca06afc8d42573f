import { FrameworkApp, Mapper } from 'propylon'
const map = new Mapper().connect('/{controller}/{id}', { action: 'greet' })
export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url), debug: true, logger: { info() {}, warn: console.warn, error: console.error } })
