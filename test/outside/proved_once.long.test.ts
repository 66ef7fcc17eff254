import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { pastChain } from '../builders/past_chain.ts';
import { freePort } from './free_port.ts';
import { agree, inStep, peerPort, producing, run } from './network_nodes.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

const TRANSFERS = 24;

/** Returns the metrics of a node's verifiers, and of its chain. */
async function figures(port: number): Promise<(name: string) => number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const all = new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
  return (name) => all.get(name) ?? assert.fail(`${name} is shown`);
}

test('a transaction that came by HTTP, in a bundle and in a block is proved once on each node, and goes on as it was', async () => {
  const past = await pastChain(site.path('past'), 20);
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const measured = ports.map((port) => ['--metrics-endpoint', `127.0.0.1:${port}`]);
  const own = ['--p2p-endpoint', '127.0.0.1:0', ...(measured[0] ?? [])];
  const maker = await run(site, past, 'past/chain', ...producing(past), ...own);
  const seed = ['--p2p-seed-node', `127.0.0.1:${peerPort(maker)}`];
  const second = await run(site, past, 'second', ...seed, ...(measured[1] ?? []));
  const third = await run(site, past, 'third', ...seed, ...(measured[2] ?? []));
  const all = [maker, second, third];
  const { number } = await agree(all, 20);
  for (const follower of [second, third]) await inStep(follower, 1);
  const before = await Promise.all(ports.map(figures));
  const some = await Promise.all(
    Array.from({ length: TRANSFERS }, async (_, amount) => {
      const made = await makeTransaction(second, [transfer('alice', 'bob', `1.${String(amount).padStart(6, '0')}`)]);
      return await signed(second, made, 'alice');
    }),
  );
  // Two nodes are posted the same, which comes to each from the other, too.
  for (const node of [second, third])
    for (const trx of some)
      await node.result('network_broadcast_api.broadcast_transaction', { trx }).catch((error: unknown) => error);
  await agree(all, number + 3);
  await waitUntil('all of them in blocks', async () =>
    (await figures(ports[0]))('pharos_pending_transactions') === 0 ? true : undefined,
  );
  await agree(all, (await maker.health()).number);
  const seen = await Promise.all(ports.map(figures));
  for (const [index, now] of seen.entries()) {
    const grown = (name: string): number => now(name) - (before[index]?.(name) ?? 0);
    // Who was posted what a peer had sent before, or while it came, has looked at it again, for its duplicate alone.
    const posted = index === 2 ? 2 : 1;
    const proofs = grown('pharos_proofs_total{of="broadcast"}');
    assert(proofs >= TRANSFERS && proofs <= TRANSFERS * posted, `node ${index} proved ${proofs} times`);
    assert.equal(
      grown('pharos_proofs_total{of="block_transaction"}'),
      0,
      `node ${index} proved again what a block named`,
    );
    assert.equal(grown('pharos_proofs_total{of="block"}'), 0, `node ${index} proved whole blocks`);
  }
  for (const program of all.toReversed()) assert.equal(await program.stop(), 0);
});
