import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { numberMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { ownMachine, SevenNodes } from './seven_nodes.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
after(() => site.clear());

interface Stand {
  readonly head: number;
  readonly final: number;
}

async function fetchStand(program: Program): Promise<Stand> {
  const { properties }: { properties: Json } = Object(
    await program.result('alexandria_api.get_dynamic_global_properties'),
  );
  return {
    head: numberMember(properties, 'head_block_number'),
    final: numberMember(properties, 'last_irreversible_block_num'),
  };
}

/** Waits until all nodes call a block final that is above that number and one of the newest two. */
async function finalEverywhere(net: SevenNodes, above: number): Promise<number> {
  const finals = await Promise.all(
    net.programs.map(async (program) => {
      return await waitUntil('the newest blocks to be final', async () => {
        const { head, final } = await fetchStand(program);
        return final > above && head - final <= 1 ? final : undefined;
      });
    }),
  );
  return Math.max(...finals);
}

test('five voters make blocks final within their slots; kills and a partition stop finality for a while and undo nothing', async () => {
  const net = await SevenNodes.start(site, { delayMs: 20 }, ownMachine, { finality: true });
  const first = await finalEverywhere(net, 0);
  const witness = net.nodeProgram(0);
  witness.kill();
  await witness.exited;
  const rpc = net.nodeProgram(5);
  await waitUntil('four of five voters to go on', async () =>
    (await fetchStand(rpc)).final > first + 3 ? true : undefined,
  );
  await net.startOne(0);
  const second = await finalEverywhere(net, first);
  net.part([0, 1]);
  const before = await waitUntil('finality to stand', async () => {
    const { head, final } = await fetchStand(rpc);
    return head - final >= 3 ? final : undefined;
  });
  assert(before >= second);
  net.heal([0, 1]);
  const last = await finalEverywhere(net, before);
  for (let node = 0; node < 5; node++) await net.killAndRestart(node);
  await finalEverywhere(net, last);
  await net.assertNoSlotTwice();
  await net.stop();
});
