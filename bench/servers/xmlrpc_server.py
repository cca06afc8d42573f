"""Python's xmlrpc.server, with a thread for each connection and connections kept alive."""

import sys
import threading
from socketserver import ThreadingMixIn
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

STATES = ['Delaware', 'Pennsylvania', 'New Jersey', 'Georgia', 'Connecticut']


class Handler(SimpleXMLRPCRequestHandler):
    protocol_version = 'HTTP/1.1'
    rpc_paths = ('/service',)
    wbufsize = -1


class Server(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True
    request_queue_size = 1024


def batting_order(posn):
    return STATES[posn - 1] if 0 < posn <= len(STATES) else 'Out of cheese error.'


server = Server(('127.0.0.1', 0), requestHandler=Handler, logRequests=False)
server.register_function(batting_order, 'test.battingOrder')
server.register_function(lambda value: value, 'test.echo')
print('ready', server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
