"""The old application behind forwardTo, as test/wsgi/proxy/old-application.ts, on wsgiref of the standard library."""
import gzip, hashlib, json, socketserver, sys, threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

released = threading.Event()
aborted = [0]


class Events:
    """A silent stream that counts the clients that leave."""

    def __init__(self):
        self.first = True

    def __iter__(self):
        return self

    def __next__(self):
        if self.first:
            self.first = False
            return b'data: 1\n\n'
        threading.Event().wait(0.05)
        return b':\n\n'

    def close(self):
        aborted[0] += 1


def events():
    yield b'data: 1\n\n'
    released.wait()
    yield b'data: 2\n\n'


def application(environ, start_response):
    path = environ['PATH_INFO']

    def answer(status, body, *headers):
        start_response(status, [('Content-Type', 'text/plain'), *headers])
        return body

    if path == '/cookies':
        return answer('200 OK', [b'cookies'], ('Set-Cookie', 'a=1; Path=/; HttpOnly'),
                      ('Set-Cookie', 'b="2, 3"; Expires=Wed, 01 Jan 2031 00:00:00 GMT'))
    if path == '/redirect':
        return answer('303 See Other', [], ('Location', 'http://%s/elsewhere' % environ['HTTP_HOST']))
    if path == '/gzip':
        return answer('200 OK', [gzip.compress(b'packed')], ('Content-Encoding', 'gzip'))
    if path == '/nothing':
        start_response('204 No Content', [])
        return []
    if path == '/unchanged':
        start_response('304 Not Modified', [('ETag', '"1"')])
        return []
    if path == '/error':
        return answer('500 Internal Server Error', [b'broken'])
    if path == '/large':
        return answer('200 OK', [] if environ['REQUEST_METHOD'] == 'HEAD' else [b'a' * 65536] * 320,
                      ('Content-Length', str(20 * 2 ** 20)))
    if path == '/events':
        return answer('200 OK', events())
    if path == '/silent':
        return answer('200 OK', Events())
    if path == '/broken':
        return answer('200 OK', [b'part'], ('Content-Length', '100'))
    if path == '/release':
        released.set()
        return answer('200 OK', [])
    if path == '/aborted':
        return answer('200 OK', [str(aborted[0]).encode()])
    body = environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0))
    headers = {key[5:].replace('_', '-').lower(): value for key, value in environ.items() if key.startswith('HTTP_')}
    for name in ('content-type', 'content-length'):
        value = environ.get(name.upper().replace('-', '_'))
        if value and not (name == 'content-type' and value == 'text/plain'):
            headers[name] = value
    host = headers.pop('host', None)
    headers.pop('connection', None)
    described = {'method': environ['REQUEST_METHOD'], 'path': path.encode('latin1').decode(), 'query': environ['QUERY_STRING'],
                 'host': host, 'headers': headers, 'length': len(body), 'sha256': hashlib.sha256(body).hexdigest()}
    start_response('200 OK', [('Content-Type', 'application/json')])
    return [json.dumps(described).encode()]


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = make_server('127.0.0.1', 0, application, Server, Quiet)
print(server.server_port, flush=True)
server.serve_forever()
