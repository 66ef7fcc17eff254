import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { MessageKind } from '../../src/wire/message_kind.ts';
import { ancestorRequest } from '../../src/wire/messages/ancestor_request.ts';
import { blockRequest } from '../../src/wire/messages/block_request.ts';
import { peersRequest } from '../../src/wire/messages/peers_request.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { rangeRequest } from '../../src/wire/messages/range_request.ts';
import { status } from '../../src/wire/messages/status.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';
import { Liar, standing } from './liar.ts';
import type { SimNode } from './sim_node.ts';
import { chooseSeeds } from './seeds.ts';
import { isMeasured } from './sim_thread.ts';
import { SimWorld } from './sim_world.ts';
import { inLongForm } from '../builders/forms.ts';

/** As many as the budget names, each in a group of its own. */
const STRANGERS = 24;
const WITNESSES = 5;
const MORE_BLOCKS = 300;
const SECONDS = 12;
const MOST_LATER_MS = 200;
/** Of the thread: a tenth for receiving, a tenth for answering. */
const MOST_SHARE = 0.2 + (isMeasured ? 0.05 : 0); // measured, the thread also pays for garbage of the strangers, who share its process
/** Of the thread, what a peer has while others wait: a fiftieth and a twentieth. */
const ONE_WITHOUT_SPARE = 0.07;
/** Questions at once and again each so many milliseconds: what an honest node asks at most, and far more. */
const paces = { 'within their credit': { count: 1, everyMs: 400 }, 'over it': { count: 8, everyMs: 100 } } as const;

interface Seen {
  /** From a block's slot until the last node had it, at most. */
  readonly latestMs: number;
  /** Of the first node's network thread. */
  readonly share: number;
  readonly strangers: readonly Liar[];
  readonly world: SimWorld;
}

/** Five witnesses, all of whose links go over the first, which is asked by strangers, if any. */
function watched(seed: number, pace: (typeof paces)[keyof typeof paces] | undefined, count = STRANGERS): Seen {
  const world = new SimWorld({ seed, witnesses: WITNESSES, moreBlocks: MORE_BLOCKS, mostLatencyMs: 40 });
  const hub = world.add({ name: 'node0', witnesses: ['initminer'] });
  for (let index = 1; index < WITNESSES; index++)
    world.add({
      name: `node${index}`,
      witnesses: [`witness${index}`],
      seeds: [hub.target],
      settings: { exchangesPeers: false },
    });
  world.run(12);
  const strangers: Liar[] = [];
  for (let index = 0; index < (pace === undefined ? 0 : count); index++)
    world.intrude(`stranger ${index}`, `172.16.${index}.1`, hub, (pipe) => {
      const liar = new Liar(world, pipe, standing(hub));
      strangers.push(liar);
      world.heap.at(world.heap.nowMs + 1000, () => askForEver(liar, hub, pace ?? paces['over it']));
      return liar.channel;
    });
  world.run(3);
  const [fromMs, busyMs] = [world.heap.nowMs, hub.process.thread.busyMs];
  world.run(SECONDS);
  const share = (hub.process.thread.busyMs - busyMs) / (world.heap.nowMs - fromMs);
  let latestMs = 0;
  for (const [id, arrivedMs] of world.checks.arrivedMs) {
    const made = hub.chain.block(Number.parseInt(id.slice(0, 8), 16));
    if (made === undefined || made.id !== id || made.header.timestamp * 1000 < fromMs) continue;
    latestMs = Math.max(latestMs, arrivedMs - made.header.timestamp * 1000);
  }
  world.runUntilTogether(10);
  return { latestMs, share, strangers, world };
}

/** Asks free questions again and again. */
function askForEver(
  liar: Liar,
  { chain }: SimNode,
  { count, everyMs }: { readonly count: number; readonly everyMs: number },
): void {
  const ids = Array.from({ length: 24 }, (_, index) => (index + 1).toString(16).padStart(8, '0') + 'e'.repeat(32));
  let number = 0;
  const ask = <T>(kind: MessageKind<T>, value: T): void => liar.channel.send(kind, value);
  const round = (): void => {
    if (liar.isClosed) return;
    for (let times = 0; times < count; times++) {
      number++;
      ask(rangeRequest, { number, from: 1, before: ZERO_HASH160, count: 1000, bytes: 4 * 1024 * 1024 });
      ask(ancestorRequest, { ids });
      ask(blockRequest, { id: chain.head.id, form: 1 });
      ask(peersRequest, {});
      ask(ping, { number: BigInt(number) });
      ask(status, standing({ chain }));
    }
    liar.world.heap.at(liar.world.heap.nowMs + everyMs, round);
  };
  round();
}

for (const seed of chooseSeeds(11)) {
  // One run without strangers is the measure of all others of a seed.
  const quiet = watched(seed, undefined);

  test(`a stranger that asks alone has the spare time of the thread, delays no block, and leaves half of the thread (seed ${seed})`, (t) => {
    const { latestMs, share } = watched(seed, paces['over it'], 1);
    t.diagnostic(
      `the latest block ${latestMs.toFixed(0)} ms, ${quiet.latestMs.toFixed(0)} undisturbed; ${(100 * share).toFixed(1)} % of the thread`,
    );
    assert.ok(latestMs <= quiet.latestMs + MOST_LATER_MS, `${latestMs} ms, ${quiet.latestMs} ms undisturbed`);
    // Where reading costs what it does here, the questions use up what one peer has for receiving first.
    const least = isMeasured ? 0 : ONE_WITHOUT_SPARE;
    assert.ok(
      share > quiet.share + least && share <= quiet.share + 0.5,
      `${share} of the thread, ${quiet.share} undisturbed`,
    );
  });

  for (const [name, pace] of Object.entries(paces)) {
    test(
      `24 strangers that ask for ever, ${name}, delay no block, are not banned, and cost a fifth of the thread at most (seed ${seed})`,
      name === 'over it' ? inLongForm : {},
      (t) => {
        const { latestMs, share, strangers, world } = watched(seed, pace);
        t.diagnostic(
          `the latest block ${latestMs.toFixed(0)} ms, ${quiet.latestMs.toFixed(0)} undisturbed; ${(100 * share).toFixed(1)} % of the thread`,
        );
        assert.ok(latestMs <= quiet.latestMs + MOST_LATER_MS, `${latestMs} ms, ${quiet.latestMs} ms undisturbed`);
        assert.ok(share <= quiet.share + MOST_SHARE, `${share} of the thread, ${quiet.share} undisturbed`);
        assert.deepEqual([strangers.length, strangers.filter(({ isClosed }) => isClosed).length], [STRANGERS, 0]);
        assert.deepEqual(
          world.checks.lines.filter((line) => /banned/.test(line)),
          [],
        );
      },
    );
  }
}
