# Perl's server. Prints the port.
use strict;
use warnings;
use HTTP::Daemon;
use RPC::XML;
use RPC::XML::Server;
$RPC::XML::ENCODING = 'utf-8';
$RPC::XML::ALLOW_NIL = 1;

# It serves one connection after the other, and would wait on each for a request that does not come.
{
    no warnings 'redefine';
    my $get_request = \&HTTP::Daemon::ClientConn::get_request;
    *HTTP::Daemon::ClientConn::get_request = sub {
        my $request = $get_request->(@_);
        $_[0]->force_last_request;
        return $request;
    };
}

my $server = RPC::XML::Server->new(host => '127.0.0.1', port => 0, auto_methods => 0);
die $server unless ref $server;
my @any = map { "$_ $_" } qw(string int boolean double dateTime.iso8601 base64 array struct);
$server->add_method({ name => 'test.echo', signature => \@any, help => 'Sends a value back.', code => sub { $_[1] } });
$server->add_method({ name => 'test.add', signature => ['int int int'], help => 'Adds.', code => sub { RPC::XML::int->new($_[1] + $_[2]) } });
$server->add_method({ name => 'test.fail', signature => ['int int string'], help => 'Fails.', code => sub { RPC::XML::fault->new($_[1], $_[2]) } });
$| = 1;
print $server->port, "\n";
$server->server_loop;
