import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { percentile } from '../../src/load_test/run_load.ts';
import { postBodies } from '../../src/load_test/post_bodies.ts';
import { against, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { BATCH, CONNECTIONS, load, signedBodies } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';

const COUNTED = 'right transfer, HTTP in to accepted, what wrong ones cost included';
/** An attacker may make honest traffic twice as dear. */
const BUDGET = { budget: { ratio: 0.5 } };

const ATTACKS = [
  ['same', 'over one WebSocket'],
  ['new', 'over ever new WebSockets'],
  ['post', 'from another address'],
] as const;

/**
 * Honest posts, alone and beside somebody who sends nothing but wrong signatures, in CPU time of the node for each
 * honest transfer.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  // Until the first round of the schedule is over, blocks may be as large as can be.
  const node = await DevNode.start({ blockIntervalMs: quick ? 100 : 1500 });
  const count = quick ? 200 : 20_000;
  try {
    if (!quick) await load(node, count);
    const before = await honest(node, count);
    const attacked = [];
    for (const attack of ATTACKS) attacked.push(await underAttack(node, count, attack));
    const after = await honest(node, count);
    const alone = before.cpuMicros < after.cpuMicros ? before : after;
    const note = `${CONNECTIONS} honest connections, posts of ${BATCH}; ${alone.note}`;
    const baseline = row('honest transfers alone', COUNTED, alone, { note });
    return [baseline, ...attacked.map((one) => against(one, baseline))];
  } finally {
    await node.stop();
  }
}

/** Only while honest ones post: between their loads the attacker has the node for himself. */
async function honest(
  node: DevNode,
  count: number,
  attacker?: ChildProcess,
): Promise<Measured & { readonly wrong: number; readonly note: string }> {
  const bodies = await signedBodies(node, count);
  const wrongBefore = await readSentCount(attacker);
  const startedMs = performance.now();
  const before = node.cpuMicros();
  const { accepted, latenciesMs } = await postBodies(node.client, bodies, CONNECTIONS);
  const cpuMicros = node.cpuMicros() - before;
  const elapsedMs = performance.now() - startedMs;
  assert(accepted.length === count, 'every honest transfer is accepted');
  const note = `posts took ${percentile(latenciesMs, 0.5).toFixed(0)} ms, ${Math.round((count * 1000) / elapsedMs)} right ones a second of wall time`;
  return { work: count, cpuMicros, wrong: (await readSentCount(attacker)) - wrongBefore, note };
}

async function underAttack(node: DevNode, count: number, [way, said]: (typeof ATTACKS)[number]): Promise<Row> {
  const attacker = fork(fileURLToPath(new URL('../bad_signatures.js', import.meta.url)), [
    node.url,
    way,
    String(BATCH),
  ]);
  assert((await nextEvent(attacker, 'message')) === 'ready', 'the attacker has begun');
  const measured = await honest(node, count, attacker);
  attacker.kill();
  await nextEvent(attacker, 'exit');
  const note = `${(measured.wrong / count).toFixed(2)} wrong ones for each right one, ${said}, batches of ${BATCH}; ${measured.note}`;
  return row(`honest transfers, attacked ${said}`, COUNTED, measured, { ...BUDGET, note });
}

async function readSentCount(attacker: ChildProcess | undefined): Promise<number> {
  if (attacker === undefined) return 0;
  attacker.send('how many?');
  return Number(await nextEvent(attacker, 'message'));
}
