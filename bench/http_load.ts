// A client in a process of its own: so many posts over so many connections, on each as many at once as told. All posts
// have the same body; `@file` names a file with one body a line, which take turns. Then how many a second at most, as
// many as can be when that is empty or left out; and a header of each post besides, in which `{number}` is the number
// of its body.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { stepBack } from './client_priority.ts';

const [, , port = '', connections = '', atOnce = '', posts = '', body = '', rate = '', header = ''] = process.argv;
const bodies = body.startsWith('@') ? readFileSync(body.slice(1), 'utf8').trim().split('\n') : [body];
const more = header === '' ? '' : `${header}\r\n`;
const headers = `Host: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${more}`;
const requests = bodies.map((one, number) =>
  Buffer.from(
    `POST / HTTP/1.1\r\n${headers.replace('{number}', String(number))}Content-Length: ${Buffer.byteLength(one)}\r\n\r\n${one}`,
  ),
);
let turn = 0;
const nextRequest = (): Buffer => requests[turn++ % requests.length] ?? Buffer.alloc(0);
const headEnd = Buffer.from('\r\n\r\n');

/** A server that closes more serves nobody. */
const MOST_LOST = 1000;

let lost = 0;
let left = Number(posts);
const pace = Number(rate);
if (pace > 0) stepBack();
const startedMs = performance.now();
const open = Array.from({ length: Number(connections) }, () => postOver());
await Promise.all(open);
process.send?.('done');

function postOver(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.setNoDelay(true);
    let waiting = 0;
    let rest: Buffer = Buffer.alloc(0);
    const send = (): void => {
      const count = Math.min(left, Number(atOnce));
      const earlyMs = pace === 0 ? 0 : startedMs + ((Number(posts) - left) * 1000) / pace - performance.now();
      if (earlyMs > 1) return void setTimeout(send, earlyMs);
      left -= count;
      waiting = count;
      if (count === 0) socket.end(resolve);
      else socket.write(Buffer.concat(Array.from({ length: count }, nextRequest)));
    };
    socket.on('connect', send);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    // A busy server may let go of a connection on which requests wait behind each other: they are sent again.
    socket.on('close', () => {
      if (waiting === 0) return;
      left += waiting;
      if (++lost > MOST_LOST) reject(new Error(`the server has closed ${lost} connections, and owes ${left} answers`));
      else resolve(postOver());
    });
    socket.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = answerEnd(rest); end > 0; end = answerEnd(rest)) {
        rest = rest.subarray(end);
        waiting--;
      }
      if (waiting === 0) send();
    });
  });
}

/**
 * Returns the end of the first whole answer; 0 when it is not all there. Ends the process at an answer that is not one.
 */
function answerEnd(bytes: Buffer): number {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return 0;
  const head = bytes.toString('latin1', 0, end);
  const length = /^HTTP\/1\.1 200 [^]*\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an unexpected answer: ${head}`);
  const total = end + headEnd.length + Number(length);
  return bytes.length < total ? 0 : total;
}
