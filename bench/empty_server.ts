// The least that a server on uWebSockets.js can do: it hears the body, looks at nothing, and always answers the same.
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
