import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { RandomSource } from '../builders/random_source.ts';
import { peerPort } from '../outside/network_nodes.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { BASE_BLOCKS, branch, fetchHead, startBranch } from './branches.ts';
import { isLong } from './commands.ts';
import { NatsServer } from './nats_server.ts';

// Nodes of a private net that know different branches: what a node that hears of them one after another writes.

const site = new Site();

after(() => site.clear());

const SEEDS = Number(process.env['PHAROS_TEST_SEEDS'] ?? (isLong ? 20 : 1));
const FIRST_SEED = Number(process.env['PHAROS_TEST_FIRST_SEED'] ?? 1);

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  test(`a node whose peers bring it from one branch to another and back tells all of it in order (seed ${seed})`, async (t) => {
    const randomSource = new RandomSource(seed);
    const server = await NatsServer.start(site.path(`nats${seed}`));
    t.after(() => server.stop());
    const sink = ['--sink-nats', server.url, '--sink-nats-operations', String(randomSource.chance(50))];
    const lengths = [1 + randomSource.roll(3), 0, 0, 0];
    for (let k = 1; k < lengths.length; k++) lengths[k] = (lengths[k - 1] ?? 0) + 1 + randomSource.roll(3);
    const [short = 0, ...longer] = lengths;
    const own = await branch(site, `own${seed}`, 1, short);
    let node = await startBranch(site, own, ...sink);
    t.after(() => node.kill());
    const checked = async (): Promise<string> => {
      const { id } = await fetchHead(node);
      const flags = ['--nats', `nats://127.0.0.1:${server.port}`, '--url', `http://127.0.0.1:${node.port}`];
      return await waitUntil(`block ${id} in the stream`, async () => {
        const { code, stdout, stderr } = await site.run(['stream', 'check', ...flags]);
        if (!stdout.includes(id)) return undefined;
        assert.equal(code, 0, `${stdout}${stderr}`);
        return stdout;
      });
    };
    const awaitBlock = async (id: string): Promise<void> =>
      void (await waitUntil(`block ${id} at the node`, async () =>
        (await fetchHead(node)).id === id ? true : undefined,
      ));
    await checked();
    for (const [k, blocks] of longer.entries()) {
      // To the other branch, back to the first one, and again.
      const other = await branch(site, `peer${seed}-${k}`, k % 2 === 0 ? 2 : 1, blocks);
      if (randomSource.chance(50)) server.relay.cut();
      const peer = await startBranch(site, other, '--p2p-seed-node', `127.0.0.1:${peerPort(node)}`);
      t.after(() => peer.kill());
      const { id } = await fetchHead(peer);
      await awaitBlock(id);
      server.relay.heal();
      if (randomSource.chance(50)) {
        node.kill();
        await node.exited;
        node = await startBranch(site, own, ...sink);
      }
      const said = await checked();
      assert.match(said, new RegExp(` ${BASE_BLOCKS + blocks} blocks with `));
      assert.doesNotMatch(said, / 0 undone,/);
      peer.kill();
      await peer.exited;
    }
    node.kill();
    await node.exited;
  });
}
