import type { Socket } from 'node:net';
import { LONGEST_LINE } from './signer_messages.ts';

/** Calls `take` with each line that comes over a socket; one that is too long ends it. */
export function readLines(socket: Socket, take: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) socket.destroy();
    else for (const line of lines) take(line);
  });
}
