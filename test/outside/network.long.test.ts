import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, test } from 'node:test';

import { pastChain } from '../builders/past_chain.ts';
import { agree, inStep, nodeId, peerPort, producing, run } from './network_nodes.ts';
import { send, transfer } from './signer.ts';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

const PAST_BLOCKS = 1500; // more than a range

test('nodes follow one that produces from its first block on and live, whoever of them is killed, and take transactions for it', async () => {
  const past = await pastChain(site.path('past'), PAST_BLOCKS);
  const makes = producing(past);
  let maker = await run(site, past, 'past/chain', ...makes, '--p2p-endpoint', '127.0.0.1:0');
  const seed = ['--p2p-seed-node', `127.0.0.1:${peerPort(maker)}`];
  const alwaysThere = ['--p2p-endpoint', `127.0.0.1:${peerPort(maker)}`];
  let second = await run(site, past, 'second', ...seed, '--p2p-endpoint', '127.0.0.1:0');
  const synced = await agree([maker, second], PAST_BLOCKS);
  const live = await agree([maker, second], synced.number);

  await inStep(second, 1);

  // The third knows the second only.
  const third = await run(site, past, 'third', '--p2p-seed-node', `${nodeId(second)}@127.0.0.1:${peerPort(second)}`);
  await agree([maker, second, third], live.number);
  const sent = await send(third, [transfer('alice', 'bob', '1.000000')], 'alice');
  assert.ok(sent.block > live.number);

  second.kill();
  await second.exited;
  const id = nodeId(second);
  second = await run(site, past, 'second', ...seed, '--p2p-endpoint', `127.0.0.1:${peerPort(second)}`);
  assert.equal(nodeId(second), id, 'a node is who it was before');
  assert.equal(statSync(site.path('second', 'p2p_key')).mode & 0o777, 0o600);
  const together = await agree([maker, second, third], sent.block);

  maker.kill();
  await maker.exited;
  maker = await run(site, past, 'past/chain', ...makes, ...alwaysThere);
  await agree([maker, second, third], together.number);
  const taken = await site.run([
    ...[
      'run',
      '--genesis-json',
      past.genesisFile,
      '--data-dir',
      site.path('fourth'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
    ],
    ...alwaysThere,
  ]);
  assert.equal(taken.code, 4);
  assert.match(taken.stderr, /p2p-endpoint: cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
  for (const program of [third, second, maker]) assert.equal(await program.stop(), 0);
});
