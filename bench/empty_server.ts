// The least that a server of JSON-RPC on uWebSockets.js can do: like ours it notices when a client leaves, hears the body to its end and
// answers 200 with a Content-Type and a JSON text as long as ours. It looks at no header and at no byte of the body, and counts nothing.
import uws from 'uWebSockets.js';

const answer = process.argv[2] ?? '';

uws
  .App()
  .any('/*', (response) => {
    response.onAborted(() => {});
    response.onData((_, isLast) => {
      if (isLast) response.writeHeader('Content-Type', 'application/json').end(answer);
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    process.send?.(socket === false ? 0 : uws.us_socket_local_port(socket));
  });
