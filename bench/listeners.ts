// Subscribers in a process of their own: so many WebSockets, each of which follows the documents that alice sends in
// one of so many applications; with `head` or `pending` as the fourth argument, at that level, the operations of bob,
// one in so many, or of nobody. It says `ready` when all have been answered; asked by a message, it waits for as many
// notices as are named there and tells how long after the commits named there each since the last question came, in
// milliseconds. It steps back behind the node.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../src/base/assert.ts';
import { stepBack } from './client_priority.ts';
import { readFrame, pongFrame, textFrame, upgradeRequest } from './websocket_frames.ts';

/** Read into by all connections, one after the other. */
const shared = Buffer.alloc(65_536);
const [, , port = '', count = '', applications = '', followed = 'documents'] = process.argv;
/** Connections that are being opened: less than what a listening socket lets wait. */
const OPENING = 128;
const TEXT = 1;
const PING = 9;
const WAIT_MS = 100;
const LONGEST_WAIT_MS = 60_000;
const HEAD_END = Buffer.from('\r\n\r\n');

/** When each notice came, in milliseconds since 1970. */
let arrivedMs: number[] = [];

stepBack();
let next = 0;
const opening = async (): Promise<void> => {
  while (next < Number(count)) await subscribed((next % Number(applications)) + 1, next++);
};
await Promise.all(Array.from({ length: OPENING }, opening));
process.on('message', (question: Question) => void answer(question));
process.send?.('ready');

/**
 * The times at which blocks were on the disk, in milliseconds since 1970, and the number of notices that they cause.
 */
interface Question {
  readonly commits: readonly number[];
  readonly expected: number;
}

/** Gives up after a minute; a notice that comes twice has come before the last one of all, or shortly after it. */
async function answer({ commits, expected }: Question): Promise<void> {
  for (let waited = 0; arrivedMs.length < expected && waited < LONGEST_WAIT_MS; waited += WAIT_MS) await sleep(WAIT_MS);
  await sleep(WAIT_MS);
  process.send?.(delays(arrivedMs, commits));
  arrivedMs = [];
}

function documentSubscription(application: number): object {
  const params = { return_id: 1, app_id: application, account_name: 'alice', search_type: 'by_sender', start: 1 };
  return { method: 'subscribe_api.custom_object_subscription', params };
}

/** Of bob, or of an account that nobody pays. */
function operationSubscription(account: string): object {
  return {
    method: 'subscribe_api.subscribe_operations',
    params: { return_id: 1, accounts: [account], level: followed },
  };
}

/** Resolves when the node has agreed. */
function subscribed(application: number, index: number): Promise<void> {
  const call =
    followed === 'documents'
      ? documentSubscription(application)
      : operationSubscription(application === 1 ? 'bob' : `subscriber-${index}`);
  const subscription = textFrame(JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }));
  return new Promise((resolve, reject) => {
    let rest: Buffer = Buffer.alloc(0);
    let isOpen = false;
    const hear = (socket: Socket, bytes: Buffer): void => {
      let at = 0;
      if (!isOpen) {
        at = bytes.indexOf(HEAD_END) + HEAD_END.length;
        if (at < HEAD_END.length) return void (rest = Buffer.from(bytes));
        if (!bytes.toString('latin1', 0, at).startsWith('HTTP/1.1 101')) return reject(new Error(bytes.toString()));
        isOpen = true;
        socket.write(subscription);
      }
      for (let frame = readFrame(bytes, at); frame !== undefined; frame = readFrame(bytes, at)) {
        if (frame.kind === PING) socket.write(pongFrame(frame.payload));
        if (frame.kind === TEXT && frame.payload.includes('"notice"')) arrivedMs.push(Date.now());
        else if (frame.kind === TEXT) resolve();
        at = frame.end;
      }
      // The buffer is shared by all: what is not used up is copied.
      rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at));
    };
    const socket: Socket = connect({
      port: Number(port),
      host: '127.0.0.1',
      onread: {
        buffer: shared,
        callback: (length, buffer) => {
          const heard = Buffer.from(buffer.buffer, buffer.byteOffset, length);
          hear(socket, rest.length === 0 ? heard : Buffer.concat([rest, heard]));
          return true;
        },
      },
    });
    socket.on('connect', () => socket.write(upgradeRequest(`127.0.0.1:${port}`)));
    socket.on('error', reject);
    socket.on('close', () => assert(false, 'the node keeps those who read'));
  });
}

/** From the last commit before each arrival; 0 where the commit was read too late. */
function delays(arrivals: readonly number[], commits: readonly number[]): number[] {
  const ascending = commits.toSorted((a, b) => a - b);
  return arrivals.map((atMs) => atMs - (ascending.findLast((each) => each <= atMs) ?? atMs));
}
