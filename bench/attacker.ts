// An attacker in a process of its own, at another address of this machine: repeats one attack as fast as it can until
// it is killed.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../src/base/assert.ts';
import { devAccounts, devPublicKey } from '../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../src/settings/chain_settings.ts';
import { sampleTransaction } from '../src/rpc/sample_transaction.ts';
import { stepBack } from './client_priority.ts';
import { textFrame, upgradeRequest } from './websocket_frames.ts';

const [, , url = '', attack = ''] = process.argv;
const { hostname, port, host } = new URL(url);
const from = { host: hostname, port: Number(port), localAddress: '127.0.0.2' };
const AT_ONCE = 16;
const HALF_OPEN = 6000;
const NON_READERS = 400;
/** Bytes per write of a flood of frames, about what a server reads at once. */
const FLOOD_BYTES = 512 * 1024;

const call = (method: string, params: object = {}, id = 1): object => ({ jsonrpc: '2.0', id, method, params });
const many = <T>(count: number, of: (k: number) => T): T[] => Array.from({ length: count }, (_, k) => of(k));
const key = devPublicKey('alice', profileNamed('default'));
const discover = JSON.stringify(many(40, (id) => call('rpc.discover', {}, id)));
const names = (prefix: number): string[] => many(1000, (k) => `nobody ${prefix} ${k}`);

/** A well-formed signature; each is different, so that nothing is cached. */
const signature = (k: number): string => `1f${k.toString(16).padStart(64, '1')}${'1'.padStart(64, '2')}`;

/** Bodies of posts; `k` makes each one different. */
const posts: Readonly<Record<string, (k: number) => object | string>> = {
  'rpc.discover in batches of 40': () => discover,
  'get_key_references, one key 1000 times': (k) =>
    call('account_by_key_api.get_key_references', { keys: many(1000, () => key) }, k),
  'get_accounts, one name 1000 times, in batches': (k) =>
    many(20, (id) =>
      call('alexandria_api.get_accounts', { account_names: [...many(999, () => devAccounts[0]), `${k}`] }, id),
    ),
  'get_accounts, 1000 unknown seeds': (k) => call('alexandria_api.get_accounts', { account_names: names(k) }, k),
  'find_accounts, pending': (k) =>
    call('database_api.find_accounts', { accounts: many(1000, (n) => devAccounts[n % 4]), pending: true }, k),
  'verify_authority with 100 signatures': (k) =>
    call(
      'database_api.verify_authority',
      { trx: { ...sampleTransaction, signatures: many(100, (n) => signature(k * 100 + n)) } },
      k,
    ),
  'bodies that are no JSON': () => `[${'['.repeat(20)}${'1,'.repeat(400_000)}`,
};

stepBack();
process.send?.('ready');
if (attack === 'empty frames') await floodFrames(textFrame(''));
else if (attack === 'frames that are no JSON') await floodFrames(textFrame('{"jsonrpc":"2.0","id":1,"method":}'));
else if (attack === 'frames with another read each')
  await floodFrames(textFrame(JSON.stringify(call('database_api.list_accounts', { start: null, limit: 1000 }))));
else if (attack === 'connections that ask for nothing') await holdConnections(HALF_OPEN, '');
else if (attack === 'readers that take nothing') await holdConnections(NON_READERS, makePost(discover));
else await floodPosts();

async function floodPosts(): Promise<void> {
  const bodyOf = posts[attack];
  assert(bodyOf !== undefined, `${attack} is an attack`);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let count = 0;
  const postOne = async (): Promise<void> => {
    const body = bodyOf(++count);
    await new Promise<void>((resolve) => {
      const asked = request({ ...from, agent, method: 'POST' }, (response) => response.resume().once('close', resolve));
      asked.once('error', () => resolve());
      asked.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  };
  await Promise.all(
    many(AT_ONCE, async () => {
      for (;;) await postOne();
    }),
  );
}

/** Opens a new WebSocket each time, because the node closes those that send too much. */
async function floodFrames(frame: Buffer): Promise<void> {
  const flood = Buffer.concat(many(Math.max(1, Math.floor(FLOOD_BYTES / frame.length)), () => frame));
  for (;;) {
    const socket = await open();
    if (socket === undefined) continue;
    socket.write(upgradeRequest(host));
    for (let isOpen = true; isOpen;) {
      const drained = new Promise<boolean>((resolve) =>
        socket.once('drain', () => resolve(true)).once('close', () => resolve(false)),
      );
      isOpen = !socket.destroyed && (socket.write(flood) || (await drained));
      await sleep(0);
    }
  }
}

async function holdConnections(count: number, bytes: string): Promise<void> {
  for (let held = 0; ;) {
    const socket = held < count ? await open() : undefined;
    if (socket === undefined) {
      await sleep(10);
      continue;
    }
    held++;
    socket.once('close', () => held--);
    if (bytes !== '') socket.pause().write(bytes);
  }
}

function makePost(body: string): string {
  return `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Undefined when the node takes no more. */
function open(): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(from).setMaxListeners(0);
    socket.on('error', () => resolve(undefined));
    socket.once('connect', () => resolve(socket));
    socket.resume();
  });
}
