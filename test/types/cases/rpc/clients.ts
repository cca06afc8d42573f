/** The types of a server are those of the calls of a client. */
import { DateTime, type Double, double, type Struct, type Value, XMLRPCClient } from 'propylon/xmlrpc'

interface Api {
  test: {
    (): boolean
    battingOrder(position: number): string
    greet(name: string, greeting?: string): Promise<string>
    scale(by: Double, at: DateTime | Date): number
    list(): Struct[]
  }
}

export async function byXMLRPC(client: XMLRPCClient<Api>): Promise<unknown> {
  const name: string = await client.test.battingOrder(4)
  const truth: boolean = await client.test()
  const text: string = await client.test.greet('a', 'b')
  const n: number = await client.test.scale(double(2), new DateTime('19980717T14:08:55'))
  const first: Value | undefined = (await client.test.list())[0]?.name
  const any: Value = await new XMLRPCClient('http://x.test/').call('any', 1, 'a', [null])

  // @ts-expect-error a plain 2 would go out as an int
  await client.test.scale(2, new Date())
  // @ts-expect-error the position is a number
  await client.test.battingOrder('4')
  // @ts-expect-error there is no such method
  await client.test.nothing()
  return [name, truth, text, n, first, any]
}
