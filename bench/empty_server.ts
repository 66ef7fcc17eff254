// The least that a server of JSON-RPC can do, on the library that the node answers by: like ours it notices when a
// client leaves, hears the body to its end and answers 200 with a Content-Type and a JSON text as long as ours. It
// looks at no header and at no byte of the body, and counts nothing.
import { createServer } from 'node:http';
import { findUws, loadUws } from '../src/jsonrpc/http/uws_binary.ts';

const answer = process.argv[2] ?? '';
const found = findUws();
if ('binary' in found) listenWithUws(found.binary);
else listenWithNode();

function listenWithUws(binary: string): void {
  const uws = loadUws(binary);
  uws
    .App()
    .any('/*', (response) => {
      response.onAborted(() => {});
      response.onData((_, isLast) => {
        if (isLast) response.writeHeader('Content-Type', 'application/json').end(answer);
      });
    })
    .listen('127.0.0.1', 0, 1, (socket) => {
      process.send?.(socket === false ? 0 : uws.us_socket_local_port(socket));
    });
}

function listenWithNode(): void {
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => response.setHeader('Content-Type', 'application/json').end(answer));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
  });
}
