<?php
$url = $argv[1];

function call($path, $method, ...$params)
{
    global $url;
    $body = xmlrpc_encode_request($method, $params, ['encoding' => 'UTF-8', 'escaping' => ['markup']]);
    $context = stream_context_create(['http' => [
        'method' => 'POST', 'header' => 'Content-Type: text/xml', 'content' => $body,
    ]]);
    return xmlrpc_decode(file_get_contents($url . $path, false, $context), 'UTF-8');
}

function typed($value, $type)
{
    xmlrpc_set_type($value, $type);
    return $value;
}

function check($name, $got, $want)
{
    echo $got === $want ? "ok $name\n" : "not ok $name: " . json_encode($got) . "\n";
}

function echoed($value)
{
    return call('/interop', 'test.echo', $value);
}

check('demo: system.listMethods', call('/demo', 'system.listMethods'),
    ['system.listMethods', 'system.methodHelp', 'system.methodSignature', 'test.battingOrder']);
check('demo: system.methodHelp', call('/demo', 'system.methodHelp', 'test.battingOrder'),
    "The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]");
check('demo: system.methodSignature', call('/demo', 'system.methodSignature', 'test.battingOrder'), [['string', 'int']]);
check('demo: a state', call('/demo', 'test.battingOrder', 4), 'Georgia');
check('demo: no state', call('/demo', 'test.battingOrder', 51), 'Out of cheese error.');
check('demo: a fault for a wrong type', call('/demo', 'test.battingOrder', '4')['faultCode'] ?? null, -32602);
check('demo: a fault for an unknown method', call('/demo', 'nope')['faultCode'] ?? null, -32601);
$text = "a < b & c > d 'e' \"f\" \u{e9}\u{4e2d}\u{1f600} ]]> \n\t";
check('string', echoed($text), $text);
check('empty string', echoed(''), '');
check('int', [echoed(-2147483648), echoed(2147483647)], [-2147483648, 2147483647]);
check('double', [echoed(0.5), echoed(-12.25)], [0.5, -12.25]);
check('integral double', echoed(2.0), 2.0);
check('boolean', echoed([true, false]), [true, false]);
$moment = echoed(typed('19980717T14:08:55', 'datetime'));
check('dateTime', [xmlrpc_get_type($moment), $moment->scalar], ['datetime', '19980717T14:08:55']);
$bytes = implode('', array_map('chr', range(0, 255)));
$binary = echoed(typed($bytes, 'base64'));
check('base64', [xmlrpc_get_type($binary), bin2hex($binary->scalar)], ['base64', bin2hex($bytes)]);
check('array', echoed([1, 'x', [], [true]]), [1, 'x', [], [true]]);
check('struct', echoed(['a' => 1, '__proto__' => 2, 'b' => ['c' => 3]]), ['a' => 1, '__proto__' => 2, 'b' => ['c' => 3]]);
$nested = ['a' => [['b' => [2.0, ['c' => [[[]]]]]]]];
check('nested', echoed($nested), $nested);
check('add', call('/interop', 'test.add', 2, 3), 5);
check('greet', [call('/interop', 'test.greet', 'Joe'), call('/interop', 'test.greet', 'Joe', 'Bye')], ['Hello, Joe!', 'Bye, Joe!']);
$many = call('/interop', 'validator1.manyTypesTest', 7, true, 'x', 2.0, typed('19980717T14:08:55', 'datetime'), typed("\x00\xff", 'base64'));
check('many types', [array_slice($many, 0, 4), $many[4]->scalar, bin2hex($many[5]->scalar)], [[7, true, 'x', 2.0], '19980717T14:08:55', '00ff']);
check('stooges', call('/interop', 'validator1.easyStructTest', ['moe' => 1, 'larry' => 2, 'curly' => 3]), 6);
check('a fault of its own', call('/interop', 'test.fail', 42, 'as told'), ['faultCode' => 42, 'faultString' => 'as told']);
