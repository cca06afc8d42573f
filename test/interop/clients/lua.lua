local xmlrpc = require 'xmlrpc'
require 'xmlrpc.http'

local url = arg[1]

local function demo(method, ...) return xmlrpc.http.call(url .. '/demo', method, ...) end
local function interop(method, ...) return xmlrpc.http.call(url .. '/interop', method, ...) end
local function typed(value, kind) return xmlrpc.newTypedValue(value, kind) end
local function echo(value)
  local ok, got = interop('test.echo', value)
  assert(ok, got)
  return got
end

-- A value as text; tables with a first element are arrays.
local function show(value)
  if type(value) ~= 'table' then return type(value) .. ' ' .. tostring(value) end
  local parts = {}
  if value[1] ~= nil then
    for _, each in ipairs(value) do parts[#parts + 1] = show(each) end
    return '[' .. table.concat(parts, ', ') .. ']'
  end
  for name, each in pairs(value) do parts[#parts + 1] = name .. '=' .. show(each) end
  table.sort(parts)
  return '{' .. table.concat(parts, ', ') .. '}'
end

local function check(name, got, want)
  print(got == want and 'ok ' .. name or 'not ok ' .. name .. ': ' .. tostring(got))
end
local function fault(ok, text, code) return ok and 'none' or tostring(code) .. ' ' .. text end

local _, methods = demo('system.listMethods')
check('demo: system.listMethods', show(methods),
  '[string system.listMethods, string system.methodHelp, string system.methodSignature, string test.battingOrder]')
local _, help = demo('system.methodHelp', 'test.battingOrder')
check('demo: system.methodHelp', help,
  "The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]")
local _, signature = demo('system.methodSignature', 'test.battingOrder')
check('demo: system.methodSignature', show(signature), '[[string string, string int]]')
local _, state = demo('test.battingOrder', 4)
check('demo: a state', state, 'Georgia')
local _, none = demo('test.battingOrder', 51)
check('demo: no state', none, 'Out of cheese error.')
check('demo: a fault for a wrong type', fault(demo('test.battingOrder', '4')):match('^%S+'), '-32602')
check('demo: a fault for an unknown method', fault(demo('nope')):match('^%S+'), '-32601')
-- The library escapes nothing, so the text holds nothing that must be.
check('string', echo('x é中😀 "f" \'e\''), 'x é中😀 "f" \'e\'')
check('empty string', echo(''), '')
check('int', show({ echo(-2147483648), echo(2147483647) }), '[number -2147483648, number 2147483647]')
check('double', show({ echo(0.5), echo(-12.25) }), '[number 0.5, number -12.25]')
check('integral double', show(echo(typed(2.5, 'double'))), 'number 2.5')
check('boolean', show({ echo(true), echo(false) }), '[boolean true, boolean false]')
check('array', show(echo(typed({ 1, 2, 3 }, 'array'))), '[number 1, number 2, number 3]')
check('struct', show(echo({ a = 1, __proto__ = 2, b = 'x' })), '{__proto__=number 2, a=number 1, b=string x}')
check('nested', show(echo({ a = { b = { c = 2.5 } } })), '{a={b={c=number 2.5}}}')
local _, sum = interop('test.add', 2, 3)
check('add', sum, 5)
local _, one = interop('test.greet', 'Joe')
local _, two = interop('test.greet', 'Joe', 'Bye')
check('greet', one .. ' ' .. two, 'Hello, Joe! Bye, Joe!')
local _, stooges = interop('validator1.easyStructTest', { moe = 1, larry = 2, curly = 3 })
check('stooges', stooges, 6)
check('a fault of its own', fault(interop('test.fail', 42, 'as told')), '42 as told')
