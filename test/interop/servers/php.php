<?php
// Run by `php -S`: a server of PHP's own extension, which deviates from the specification in several ways.
$methods = [
    'inf' => fn() => [INF, -INF, NAN],
    'notice' => function () {
        echo $undefined;
        return 5;
    },
    'colour' => fn() => "\x1b[31mred\x1b[0m",
    'nothing' => fn() => [],
    'echo' => fn($name, $parameters) => $parameters[0],
];
$server = xmlrpc_server_create();
foreach ($methods as $name => $method) {
    xmlrpc_server_register_method($server, $name, $method);
}
header('Content-Type: text/xml; charset=UTF-8');
echo xmlrpc_server_call_method($server, file_get_contents('php://input'), null), "\n<!-- done -->\n";
