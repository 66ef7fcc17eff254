import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../builders/own_environment.ts';
import { lies, stolenInTime, makeWorlds } from '../client/verified/lies.ts';
import { LyingNode, NodesOverHttp } from '../client/verified/lying_node.ts';

// `pharos call --verify` against nodes that lie.

const cli = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));
const worlds = makeWorlds(Math.trunc(Date.now() / 1000));
const forged = lies.find(({ name }) => name === 'a forged branch') ?? assert.fail();
const honest = new LyingNode(worlds);
const thief = new LyingNode(worlds, stolenInTime);
const server = new NodesOverHttp(
  new Map([
    ['honest', honest],
    ['forged', new LyingNode(worlds, forged)],
    ['thief', thief],
  ]),
);
before(async () => await server.listen());
after(() => server.close());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function call(node: string, ...args: readonly string[]): Promise<Ended> {
  return await callAt(server.url(node), ...args);
}

async function callAt(url: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [cli, 'call', ...args, '--url', url], {
    env: ownEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

const asked = ['alexandria_api.get_transaction', JSON.stringify({ tx_id: honest.transaction })];
const verified = ['--verify', '--checkpoint', honest.checkpoint];

test('a proven answer is printed, and beside it how old the newest final block is', async () => {
  const { code, out, err } = await call('honest', ...asked, ...verified, '--member', 'tx.operations.0.1.amount');
  assert.deepEqual([code, out], [0, '2.500000 COIN\n'], err);
  assert.match(err, /^pharos: proven to be final; the newest final block, 80, is \d+ s old\n$/);
});

test('a false proof prints nothing but its reason, and two nodes that differ print the evidence', async () => {
  const refused = await call('forged', ...asked, ...verified);
  assert.deepEqual([refused.code, refused.out], [5, '']);
  assert.match(refused.err, /\(transaction_not_in_block\)/);
  const params = JSON.stringify({ block_num: worlds.stolen18.newest });
  const other = ['--verify-with', server.url('honest')];
  const differ = await call('thief', 'block_api.get_block_header', params, ...verified, ...other);
  assert.deepEqual([differ.code, differ.out], [5, '']);
  assert.match(differ.err, /\(nodes_differ\)\n {2}nodes: .*thief, .*honest\n {2}certificates: \S{3000,}, \S{3000,}\n/);
});

test('without a checkpoint nothing is verified, and the command says what it needs', async () => {
  const { code, out, err } = await call('honest', ...asked, '--verify');
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /--verify needs --checkpoint/);
});

test('a call whose answer nothing proves is refused before any node hears of it', async () => {
  let calls = 0;
  const counting = createServer((_request, response) => {
    calls++;
    response.end('{"jsonrpc":"2.0","id":1,"result":{}}');
  });
  counting.listen(0, '127.0.0.1');
  await once(counting, 'listening');
  const address = counting.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const sent = ['alexandria_api.broadcast_transaction', '{"tx":{}}'];
  const { code, out, err } = await callAt(`http://127.0.0.1:${port}`, ...sent, ...verified);
  assert.deepEqual([code, out, calls], [5, '', 0], err);
  assert.match(err, /\(nothing_proves\)/);
  counting.close();
});
