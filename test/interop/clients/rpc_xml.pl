use strict;
use warnings;
use utf8;
use RPC::XML;
use RPC::XML::Client;
binmode STDOUT, ':utf8';
$RPC::XML::ENCODING = 'utf-8';

my $url = shift;
my $demo = RPC::XML::Client->new("$url/demo");
my $interop = RPC::XML::Client->new("$url/interop");

# A value with the types it came with.
sub show {
    my $value = shift;
    my $type = $value->type;
    return "[" . join(', ', map { show($_) } @$value) . "]" if $type eq 'array';
    return "{" . join(', ', map { "$_=" . show($value->{$_}) } sort keys %$value) . "}" if $type eq 'struct';
    return "fault " . $value->code if $value->is_fault;
    return "$type " . ($type eq 'base64' ? unpack('H*', $value->value) : $value->value);
}
sub call { my $client = shift; my $got = $client->send_request(@_); return ref $got ? $got : die "not ok: $got\n" }
sub check { my ($name, $got, $want) = @_; print $got eq $want ? "ok $name\n" : "not ok $name: $got\n" }
sub echo { return show(call($interop, 'test.echo', @_)) }

check('demo: system.listMethods', show(call($demo, 'system.listMethods')),
    '[string system.listMethods, string system.methodHelp, string system.methodSignature, string test.battingOrder]');
check('demo: system.methodHelp', show(call($demo, 'system.methodHelp', 'test.battingOrder')),
    "string The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]");
check('demo: system.methodSignature', show(call($demo, 'system.methodSignature', 'test.battingOrder')), '[[string string, string int]]');
check('demo: a state', show(call($demo, 'test.battingOrder', RPC::XML::int->new(4))), 'string Georgia');
check('demo: no state', show(call($demo, 'test.battingOrder', RPC::XML::int->new(51))), 'string Out of cheese error.');
check('demo: a fault for a wrong type', show(call($demo, 'test.battingOrder', RPC::XML::string->new('4'))), 'fault -32602');
check('demo: a fault for an unknown method', show(call($demo, 'nope')), 'fault -32601');
my $text = "a < b & c > d 'e' \"f\" é中\x{1f600} ]]> \n\t";
check('string', echo(RPC::XML::string->new($text)), "string $text");
check('empty string', echo(RPC::XML::string->new('')), 'string ');
check('int', echo([RPC::XML::int->new(-2147483648), RPC::XML::int->new(2147483647)]), '[int -2147483648, int 2147483647]');
check('double', echo([RPC::XML::double->new(0.5), RPC::XML::double->new(-12.5)]), '[double 0.5, double -12.5]');
check('integral double', echo(RPC::XML::double->new('2.0')), 'double 2.0');
check('boolean', echo([RPC::XML::boolean->new(1), RPC::XML::boolean->new(0)]), '[boolean 1, boolean 0]');
check('dateTime', echo(RPC::XML::datetime_iso8601->new('19980717T14:08:55')), 'dateTime.iso8601 19980717T14:08:55');
check('base64', echo(RPC::XML::base64->new(pack('C*', 0 .. 255))), 'base64 ' . unpack('H*', pack('C*', 0 .. 255)));
check('array', echo([RPC::XML::int->new(1), RPC::XML::string->new('x'), [], [RPC::XML::boolean->new(1)]]), '[int 1, string x, [], [boolean 1]]');
check('struct', echo({ a => RPC::XML::int->new(1), __proto__ => RPC::XML::int->new(2), b => {} }), '{__proto__=int 2, a=int 1, b={}}');
check('nested', echo({ a => [{ b => [RPC::XML::double->new('2.0'), { c => [[[]]] }] }] }), '{a=[{b=[double 2.0, {c=[[[]]]}]}]}');
check('add', show(call($interop, 'test.add', RPC::XML::int->new(2), RPC::XML::int->new(3))), 'int 5');
check('greet', show(call($interop, 'test.greet', 'Joe')) . show(call($interop, 'test.greet', 'Joe', 'Bye')), 'string Hello, Joe!string Bye, Joe!');
check('many types', show(call($interop, 'validator1.manyTypesTest', RPC::XML::int->new(7), RPC::XML::boolean->new(1), RPC::XML::string->new('x'),
    RPC::XML::double->new('2.0'), RPC::XML::datetime_iso8601->new('19980717T14:08:55'), RPC::XML::base64->new("\x00\xff"))),
    '[int 7, boolean 1, string x, double 2.0, dateTime.iso8601 19980717T14:08:55, base64 00ff]');
check('stooges', show(call($interop, 'validator1.easyStructTest', { moe => RPC::XML::int->new(1), larry => RPC::XML::int->new(2), curly => RPC::XML::int->new(3) })), 'int 6');
my $fault = call($interop, 'test.fail', RPC::XML::int->new(42), RPC::XML::string->new('as told'));
check('a fault of its own', $fault->is_fault ? $fault->code . ' ' . $fault->string : 'none', '42 as told');
