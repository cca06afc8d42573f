import assert from 'node:assert/strict'
import type { Task } from '../task.ts'

/**
 * An XML-RPC service at `/calc` has the method `calc.divide`, which takes two integers and returns a double. Division
 * by zero is the fault 1 with the text `division by zero`. The service describes its methods (`system.listMethods`,
 * `system.methodSignature`).
 */
const task: Task = {
  async check({ visitor }) {
    const call = async (method: string, params: string) => {
      const xml = `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params>${params}</params></methodCall>`
      return (await visitor().post('/calc', xml, { headers: { 'content-type': 'text/xml' } })).text
    }
    const int = (value: number) => `<param><value><int>${value}</int></value></param>`
    assert.match(await call('calc.divide', int(7) + int(2)), /<double>3\.5<\/double>/)
    assert.match(await call('calc.divide', int(4) + int(2)), /<double>2(?:\.0)?<\/double>/)
    const fault = await call('calc.divide', int(4) + int(0))
    assert.match(fault, /<fault>[\s\S]*<int>1<\/int>/)
    assert.match(fault, /division by zero/)
    assert.match(await call('system.listMethods', ''), /calc\.divide/)
    const name = '<param><value><string>calc.divide</string></value></param>'
    assert.match(await call('system.methodSignature', name), /double[\s\S]*int[\s\S]*int/)
  },
}

export default task
