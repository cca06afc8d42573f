import sys
import xmlrpc.client as x

url = sys.argv[1]
demo = x.ServerProxy(url + '/demo')
interop = x.ServerProxy(url + '/interop', allow_none=True)


def check(name, got, want):
    same = type(got) is type(want) and got == want
    print('ok ' + name if same else f'not ok {name}: {got!r}')


def fault(name, code, call):
    try:
        print(f'not ok {name}: {call()!r}')
    except x.Fault as e:
        check(name, e.faultCode, code)


check('demo: system.listMethods', demo.system.listMethods(),
      ['system.listMethods', 'system.methodHelp', 'system.methodSignature', 'test.battingOrder'])
check('demo: system.methodHelp', demo.system.methodHelp('test.battingOrder'),
      'The name of the US state at a place in the order of joining the union.\n\n'
      "Method signature: [['string', 'int']]")
check('demo: system.methodSignature', demo.system.methodSignature('test.battingOrder'), [['string', 'int']])
check('demo: a state', demo.test.battingOrder(4), 'Georgia')
check('demo: no state', demo.test.battingOrder(51), 'Out of cheese error.')
fault('demo: a fault for a wrong type', -32602, lambda: demo.test.battingOrder('4'))
fault('demo: a fault for an unknown method', -32601, lambda: demo.nope())

echo = interop.test.echo
text = 'a < b & c > d \'e\' "f" \u00e9\u4e2d\U0001f600 ]]> \r\n\t'
check('string', echo(text.replace('\r', '')), text.replace('\r', ''))
check('empty string', echo(''), '')
check('int', [echo(-2147483648), echo(2147483647)], [-2147483648, 2147483647])
doubles = [0.5, -12.214, 1e300, 5e-324, 1.7976931348623157e308]
check('double', echo(doubles), doubles)
check('integral double', echo(2.0), 2.0)
check('boolean', [type(b) for b in echo([True, False])] + echo([True, False]), [bool, bool, True, False])
check('dateTime', echo(x.DateTime('19980717T14:08:55')), x.DateTime('19980717T14:08:55'))
check('base64', echo(x.Binary(bytes(range(256)))).data, bytes(range(256)))
check('array', echo([1, 'x', [], [True]]), [1, 'x', [], [True]])
check('struct', echo({'a': 1, '__proto__': 2, '': {}}), {'a': 1, '__proto__': 2, '': {}})
nested = {'a': [{'b': [None, 2.0, {'c': [[[]]]}]}]}
check('nested', echo(nested), nested)
check('add', interop.test.add(2, 3), 5)
check('greet', [interop.test.greet('Joe'), interop.test.greet('Joe', 'Bye')], ['Hello, Joe!', 'Bye, Joe!'])
many = [7, True, 'x', 2.0, x.DateTime('19980717T14:08:55'), x.Binary(b'\x00\xff')]
check('many types', interop.validator1.manyTypesTest(*many), many)
check('stooges', interop.validator1.easyStructTest({'moe': 1, 'larry': 2, 'curly': 3}), 6)
try:
    interop.test.fail(42, 'as told')
except x.Fault as e:
    check('a fault of its own', [e.faultCode, e.faultString], [42, 'as told'])

batch = x.MultiCall(interop)
batch.test.add(1, 2)
batch.test.echo(2.0)
assert list(batch()) == [3, 2.0], 'multicall'
