require 'xmlrpc/client'

URL = ARGV[0]
DEMO = XMLRPC::Client.new2("#{URL}/demo")
INTEROP = XMLRPC::Client.new2("#{URL}/interop")

def check(name, got, want)
  puts(got.class == want.class && got == want ? "ok #{name}" : "not ok #{name}: #{got.inspect}")
end

def fault(name, code)
  puts "not ok #{name}: #{yield.inspect}"
rescue XMLRPC::FaultException => e
  check(name, e.faultCode, code)
end

def echo(value)
  INTEROP.call('test.echo', value)
end

check('demo: system.listMethods', DEMO.call('system.listMethods'),
      %w[system.listMethods system.methodHelp system.methodSignature test.battingOrder])
check('demo: system.methodHelp', DEMO.call('system.methodHelp', 'test.battingOrder'),
      "The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]")
check('demo: system.methodSignature', DEMO.call('system.methodSignature', 'test.battingOrder'), [%w[string int]])
check('demo: a state', DEMO.call('test.battingOrder', 4), 'Georgia')
check('demo: no state', DEMO.call('test.battingOrder', 51), 'Out of cheese error.')
fault('demo: a fault for a wrong type', -32602) { DEMO.call('test.battingOrder', '4') }
fault('demo: a fault for an unknown method', -32601) { DEMO.call('nope') }
text = "a < b & c > d 'e' \"f\" \u00e9\u4e2d\u{1f600} ]]> \n\t"
check('string', echo(text), text)
check('empty string', echo(''), '')
check('int', [-2147483648, 2147483647].map { |n| echo(n) }, [-2147483648, 2147483647])
check('double', [0.5, -12.214].map { |n| echo(n) }, [0.5, -12.214])
check('integral double', echo(2.0), 2.0)
check('boolean', echo([true, false]), [true, false])
moment = echo(XMLRPC::DateTime.new(1998, 7, 17, 14, 8, 55))
check('dateTime', [moment.class, moment.to_a], [XMLRPC::DateTime, [1998, 7, 17, 14, 8, 55]])
bytes = (0..255).to_a.pack('C*')
check('base64', echo(XMLRPC::Base64.new(bytes)).b, bytes)
check('array', echo([1, 'x', [], [true]]), [1, 'x', [], [true]])
check('struct', echo({ 'a' => 1, '__proto__' => 2, 'b' => {} }), { 'a' => 1, '__proto__' => 2, 'b' => {} })
nested = { 'a' => [{ 'b' => [2.0, { 'c' => [[[]]] }] }] }
check('nested', echo(nested).inspect, nested.inspect)
check('add', INTEROP.call('test.add', 2, 3), 5)
check('greet', [INTEROP.call('test.greet', 'Joe'), INTEROP.call('test.greet', 'Joe', 'Bye')],
      ['Hello, Joe!', 'Bye, Joe!'])
*rest, at, binary = INTEROP.call('validator1.manyTypesTest', 7, true, 'x', 2.0,
                                 XMLRPC::DateTime.new(1998, 7, 17, 14, 8, 55), XMLRPC::Base64.new("\x00\xff".b))
check('many types', [rest.inspect, at.to_a, binary.b], [[7, true, 'x', 2.0].inspect, [1998, 7, 17, 14, 8, 55], "\x00\xff".b])
check('stooges', INTEROP.call('validator1.easyStructTest', { 'moe' => 1, 'larry' => 2, 'curly' => 3 }), 6)
begin
  INTEROP.call('test.fail', 42, 'as told')
rescue XMLRPC::FaultException => e
  check('a fault of its own', [e.faultCode, e.faultString], [42, 'as told'])
end
raise 'multicall' unless INTEROP.multicall(['test.add', 1, 2], ['test.echo', 2.0]) == [3, 2.0]
