"""Python's servers: `python.py SimpleXMLRPCServer` or `python.py DocXMLRPCServer`. Prints the port."""
import sys
import xmlrpc.client
import xmlrpc.server

server = getattr(xmlrpc.server, sys.argv[1])(('127.0.0.1', 0), logRequests=False, allow_none=True)
server.register_introspection_functions()
server.register_multicall_functions()


def fail(code, message):
    raise xmlrpc.client.Fault(code, message)


def kind(value):
    return type(value).__name__


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


for function in (fail, kind, add):
    server.register_function(function, 'test.' + function.__name__)
server.register_function(lambda value: value, 'test.echo')
print(server.server_address[1], flush=True)
server.serve_forever()
