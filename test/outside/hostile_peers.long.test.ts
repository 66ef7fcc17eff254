import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Intruder, wire, type SignedBlockHeader } from '../builders/intruder.ts';
import { pastChain } from '../builders/past_chain.ts';
import { listMember, textMember } from './json.ts';
import { agree, inStep, nodeId, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// A peer of a real node misuses blocks that travel as short ids. The simulator plays the attacks that take more nodes
// (test/sim/compact_blocks.long.test.ts).

const site = new Site();
const intruders: Intruder[] = [];

after(async () => {
  for (const one of intruders) await one.leave();
  await site.clear();
});

const { block, compactBlock, genesisRequest, hello, missing, missingRequest, ping, unavailable, blockId, headerOf } =
  wire;
const [MALFORMED, MISBEHAVED] = [5, 10];
const TRANSFERS = 24;
const MEMO = 'so that the block is too large to be pushed whole '.repeat(18);
const QUESTIONS = 20_000;
const TRY_EACH_MS = 200;
let identities = 0;

/** Somebody new who has said hello. */
async function enter(port: number, identity = ++identities): Promise<Intruder> {
  const one = new Intruder(port, identity);
  intruders.push(one);
  await waitUntil('somebody to be in, or out', () => one.isEnded || one.got(ping) > 0 || undefined);
  return one;
}

/** Returns the told reason of a mistake, and whether the peer may come again. */
async function ending(
  port: number,
  one: Intruder,
): Promise<{ readonly reason: number | undefined; readonly mayReturn: boolean }> {
  const identity = identities;
  await waitUntil('somebody to be sent away', () => one.isEnded || undefined);
  const again = await enter(port, identity);
  return { reason: one.reason, mayReturn: again.got(hello) > 0 };
}

/** The headers of blocks as they come, and of those that came as short ids. */
function watch(one: Intruder): { readonly all: SignedBlockHeader[]; readonly compact: SignedBlockHeader[] } {
  const [all, compact]: SignedBlockHeader[][] = [[], []];
  one.on(block, (packed) => void all?.push(headerOf(packed)));
  one.on(compactBlock, ({ header }) => {
    all?.push(header);
    compact?.push(header);
  });
  return { all: all ?? [], compact: compact ?? [] };
}

let posted = 0;

async function post(node: Program): Promise<void> {
  for (let count = 0; count < TRANSFERS; count++) {
    const made = await makeTransaction(node, [
      transfer('alice', 'bob', `1.${String(posted++).padStart(6, '0')}`, MEMO),
    ]);
    await node.result('network_broadcast_api.broadcast_transaction', { trx: await signed(node, made, 'alice') });
  }
}

test('short ids that lie, questions without end and answers to none cost their sender its place and nobody else anything', async () => {
  const past = await pastChain(site.path('past'), 20);
  const maker = await run(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
  const port = Number(peerPort(maker));
  const honest = await run(site, past, 'honest', '--p2p-seed-node', `127.0.0.1:${port}`);
  await inStep(honest, 1);
  const watcher = await enter(port);
  const { all, compact } = watch(watcher);
  const { id } = await waitUntil('a block as short ids', async () => {
    await post(maker);
    const [header] = compact;
    return header && { id: blockId(header) };
  });

  // Whoever asks without end is read as its credit allows, of what waits beyond that much is dropped, and it keeps its place.
  const curious = await enter(port);
  for (let count = 0; count < QUESTIONS; count++) curious.send(missingRequest, { id, indexes: [0] });
  // It costs no credit, so its answer comes behind all others.
  const isLast = new Promise<void>((resolve) =>
    curious.on(unavailable, ({ kind }) => (kind === 26 ? resolve() : undefined)),
  );
  curious.send(genesisRequest, {});
  await isLast;
  const answered = curious.got(missing) + curious.got(unavailable);
  assert.ok(answered > 1 && answered < QUESTIONS, `${answered} of ${QUESTIONS} were answered`);

  // Indexes that no block has are not looked for, however large.
  const distant = await enter(port);
  const before = distant.got(unavailable);
  for (const indexes of [
    [2 ** 31],
    Array.from({ length: 32_768 }, (_, index) => index),
    [TRANSFERS ** 3, TRANSFERS ** 4],
  ])
    distant.send(missingRequest, { id, indexes });
  await waitUntil('three answers', () => distant.got(unavailable) - before === 3 || undefined);
  assert.deepEqual([curious.isEnded, distant.isEnded, distant.got(missing)], [false, false, 0]);

  // More of anything than can follow is out of form.
  const tooMany = await enter(port);
  tooMany.sendBytes(
    missingRequest,
    Buffer.concat([Buffer.from(id, 'hex'), Buffer.of(0xff, 0xff, 0x7f), Buffer.alloc(100)]),
  );
  assert.deepEqual(await ending(port, tooMany), { reason: MALFORMED, mayReturn: false });
  const endless = await enter(port);
  const [header = assert.fail()] = compact;
  const bytes = Buffer.from(compactBlock.encode({ header, shortIds: new Uint8Array(6) }));
  bytes.writeUInt32LE(0xffff_ffff, bytes.length - 10);
  endless.sendBytes(compactBlock, bytes);
  assert.deepEqual(await ending(port, endless), { reason: MALFORMED, mayReturn: false });

  // A header that follows the head, and that its witness has not signed.
  const forger = await enter(port);
  while (!forger.isEnded) {
    const head = all.at(-1) ?? header;
    const forged = { ...head, previous: blockId(head), timestamp: head.timestamp + 3 };
    forger.send(compactBlock, { header: forged, shortIds: new Uint8Array(6 * 50_000) });
    await pause(TRY_EACH_MS);
  }
  assert.deepEqual(await ending(port, forger), { reason: MISBEHAVED, mayReturn: false });

  // Answers to what nobody asked.
  const talker = await enter(port);
  for (let count = 0; count < 6; count++) talker.send(missing, { id, transactions: [] });
  assert.deepEqual(await ending(port, talker), { reason: MISBEHAVED, mayReturn: true });

  // Who only listened, and who is honest, have noticed nothing.
  await agree([maker, honest], (await maker.health()).number);
  const peers = listMember(await maker.result('network_node_api.get_connected_peers'), 'peers').map((peer) =>
    textMember(peer, 'node_id'),
  );
  assert.ok(peers.includes(nodeId(honest)) && !watcher.isEnded);
  assert.doesNotMatch(maker.stderr, new RegExp(`banned a peer.*${nodeId(honest)}`));
});
