import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { present } from '../../../src/base/assert.ts';
import { LARGEST_ANSWER_BYTES } from '../../../src/client/answer.ts';
import { verifiedClient } from '../../../src/client/verified.ts';
import { VerifiedClient } from '../../../src/client/verified/verified_client.ts';
import { parseCheckpoint } from '../../../src/values/checkpoint.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { makeWorlds, type Lie } from './lies.ts';
import { makeConnection, LyingNode, NodesOverHttp } from './lying_node.ts';

// A server that speaks no honest HTTP, before nodes that do: the client gives up on the first and asks the next.

const worlds = makeWorlds(Math.trunc(Date.now() / 1000));
const honest = new LyingNode(worlds);
const node = new NodesOverHttp(new Map(['honest', 'second'].map((name) => [name, honest])));
const JSON_TYPE = { 'Content-Type': 'application/json' };
const LENGTH = 2 * LARGEST_ANSWER_BYTES;

/** Bytes that were taken of answers without end, and how many answers there were. */
let taken = 0;
let poured = 0;
const chunk = Buffer.alloc(256 * 1024, ' ');

function begin(response: ServerResponse): void {
  poured++;
  pour(response);
}

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write(chunk)) taken += chunk.length;
  taken += chunk.length;
  response.once('drain', () => pour(response));
}

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'an answer without end': (response) => begin(response.writeHead(200, JSON_TYPE)),
  'an error without end': (response) => begin(response.writeHead(500)),
  'an answer that unpacks to more than is read': (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }).end(packed);
  },
  'a redirect to another node': (response) => {
    response.writeHead(307, { Location: node.url('honest') }).end();
  },
  'a redirect to itself': (response) => {
    response.writeHead(308, { Location: '/' }).end();
  },
  'half an answer': (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'Content-Length': 100 }).write('{"jsonrpc":');
    setImmediate(() => response.destroy());
  },
  'brackets without end': (response) => {
    response.writeHead(200, JSON_TYPE).end('['.repeat(1_000_000));
  },
  'a page': (response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>proxy</title>');
  },
  'no finality of any chain': (response) => {
    response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}');
  },
};
const packed = gzipSync(Buffer.alloc(LENGTH, ' '));

const server = createServer((request, response) => {
  request.resume();
  answers[decodeURIComponent((request.url ?? '').slice(1))]?.(response);
});

before(async () => {
  await node.listen();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  node.close();
  server.close();
  server.closeAllConnections();
});

for (const name of Object.keys(answers)) {
  test(`${name}: the next node is asked`, async () => {
    const { port } = server.address() as AddressInfo;
    const hostile = `http://127.0.0.1:${port}/${encodeURIComponent(name)}`;
    const { checkpoint } = honest;
    const alone = verifiedClient({ checkpoint, nodes: [hostile] });
    await assert.rejects(alone.head(), (error: Error) => error.message.length < 300);
    alone.close();
    const client = verifiedClient({ checkpoint, nodes: [hostile, node.url('honest'), node.url('second')] });
    assert.equal((await client.transaction(honest.transaction)).block_num, worlds.honest.newest);
    client.close();
  });
}

test('of answers without end no more is taken than the largest answer and what lies on the way', () => {
  assert.ok(poured > 0 && taken <= poured * LENGTH, `${taken} bytes of ${poured} answers`);
});

const MEGABYTES = 8 * 1024 * 1024;
const long = Buffer.alloc(MEGABYTES - (MEGABYTES % (33 * 32)), 2).toString('base64');

for (const [member, refused] of [
  ['header', 'malformed_bytes'],
  ['path', 'block_not_certified'],
  ['voters', 'too_many_voters'],
  ['certificate', 'proof_unreadable'],
] as const) {
  test(`a proof whose ${member} has megabytes is refused as ${refused}`, async () => {
    const json: NonNullable<Lie['json']> = (method, members) =>
      method === 'get_finality_proof' ? { ...members, [member]: long } : members;
    const lying = new LyingNode(worlds, {
      ...{ name: member, refused, json },
      trusted: worlds.honest.parts.epochs - 1,
    });
    const client = new VerifiedClient({
      checkpoint: present(parseCheckpoint(lying.checkpoint), 'a checkpoint'),
      nodes: [{ url: 'here', connection: makeConnection(lying) }],
      ...{ clock: new HandClock(Date.now()), keyPrefix: 'PHR' },
    });
    await assert.rejects(
      client.head(),
      (error: Error) => 'code' in error && error.code === refused && error.message.length < 300,
    );
  });
}
