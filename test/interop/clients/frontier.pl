use strict;
use warnings;
use utf8;
use Frontier::Client;
binmode STDOUT, ':utf8';

my $url = shift;
my $demo = Frontier::Client->new(url => "$url/demo", use_objects => 1, encoding => 'UTF-8');
# Objects would also stand for a fault's members, and the message show none of them.
my $plain_demo = Frontier::Client->new(url => "$url/demo", encoding => 'UTF-8');
my $plain_interop = Frontier::Client->new(url => "$url/interop", encoding => 'UTF-8');
my $interop = Frontier::Client->new(url => "$url/interop", use_objects => 1, encoding => 'UTF-8');

sub show {
    my $value = shift;
    my $class = ref $value;
    # Objects are asked for, and doubles are the only ones that come as plain numbers.
    return "double $value" if $class eq '';
    return '[' . join(', ', map { show($_) } @$value) . ']' if $class eq 'ARRAY';
    return '{' . join(', ', map { "$_=" . show($value->{$_}) } sort keys %$value) . '}' if $class eq 'HASH';
    my ($type) = $class =~ /::(\w+)$/;
    return lc($type) . ' ' . ($type eq 'Base64' ? unpack('H*', decode($value->value)) : $value->value);
}
sub decode { require MIME::Base64; return MIME::Base64::decode(shift) }
sub check { my ($name, $got, $want) = @_; print $got eq $want ? "ok $name\n" : "not ok $name: $got\n" }
sub echo { return show($interop->call('test.echo', @_)) }
sub fault { my $call = shift; eval { $call->(); 1 } and return 'none'; my ($text) = $@ =~ /Fault returned from XML RPC Server, fault code (.*)/; return $text // $@ }
sub int_of { return $interop->int(shift) }
sub encode { require MIME::Base64; return $interop->base64(MIME::Base64::encode(shift)) }

check('demo: system.listMethods', show($demo->call('system.listMethods')),
    '[string system.listMethods, string system.methodHelp, string system.methodSignature, string test.battingOrder]');
check('demo: system.methodHelp', show($demo->call('system.methodHelp', 'test.battingOrder')),
    "string The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]");
check('demo: system.methodSignature', show($demo->call('system.methodSignature', 'test.battingOrder')), '[[string string, string int]]');
check('demo: a state', show($demo->call('test.battingOrder', 4)), 'string Georgia');
check('demo: no state', show($demo->call('test.battingOrder', 51)), 'string Out of cheese error.');
check('demo: a fault for a wrong type', (fault(sub { $plain_demo->call('test.battingOrder', $demo->string('4')) }) =~ /^(-32602):/)[0] // 'none', '-32602');
check('demo: a fault for an unknown method', (fault(sub { $plain_demo->call('nope') }) =~ /^(-32601):/)[0] // 'none', '-32601');
my $text = "a < b & c > d 'e' \"f\" ]]> \n\t";
check('string', echo($interop->string($text)), "string $text");
check('empty string', echo($interop->string('')), 'string ');
check('int', echo([int_of(-2147483648), int_of(2147483647)]), '[integer -2147483648, integer 2147483647]');
check('double', echo([$interop->double(0.5), $interop->double(-12.5)]), '[double 0.5, double -12.5]');
check('integral double', echo($interop->double('2.0')), 'double 2.0');
check('boolean', echo([$interop->boolean(1), $interop->boolean(0)]), '[boolean 1, boolean 0]');
check('dateTime', echo($interop->date_time('19980717T14:08:55')), 'iso8601 19980717T14:08:55');
check('base64', echo(encode(pack('C*', 0 .. 255))), 'base64 ' . unpack('H*', pack('C*', 0 .. 255)));
check('array', echo([int_of(1), $interop->string('x'), [], [$interop->boolean(1)]]), '[integer 1, string x, [], [boolean 1]]');
check('struct', echo({ a => int_of(1), __proto__ => int_of(2), b => {} }), '{__proto__=integer 2, a=integer 1, b={}}');
check('nested', echo({ a => [{ b => [$interop->double('2.0'), { c => [[[]]] }] }] }), '{a=[{b=[double 2.0, {c=[[[]]]}]}]}');
check('add', show($interop->call('test.add', int_of(2), int_of(3))), 'integer 5');
check('greet', show($interop->call('test.greet', $interop->string('Joe'))) . show($interop->call('test.greet', $interop->string('Joe'), $interop->string('Bye'))), 'string Hello, Joe!string Bye, Joe!');
check('many types', show($interop->call('validator1.manyTypesTest', int_of(7), $interop->boolean(1), $interop->string('x'), $interop->double('2.0'),
    $interop->date_time('19980717T14:08:55'), encode("\x00\xff"))),
    '[integer 7, boolean 1, string x, double 2.0, iso8601 19980717T14:08:55, base64 00ff]');
check('stooges', show($interop->call('validator1.easyStructTest', { moe => int_of(1), larry => int_of(2), curly => int_of(3) })), 'integer 6');
check('a fault of its own', fault(sub { $plain_interop->call('test.fail', int_of(42), $interop->string('as told')) }) =~ /^42: as told/ ? 'yes' : 'no', 'yes');
