import { setImmediate } from 'node:timers/promises';
import { present } from '../../src/base/assert.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { Dispatcher } from '../../src/jsonrpc/dispatcher.ts';
import { accountRowsNamed } from '../../src/queries/records/account.ts';
import { listMethods } from '../../src/rpc/methods.ts';
import type { VerifierCall } from '../../src/rpc/services.ts';
import { View } from '../../src/storage/view.ts';
import {
  heaviestBodies,
  heaviestCalls,
  makeHostile,
  type Ground,
  type HostileSizes,
} from '../../test/builders/hostile_chain.ts';
import { callInSteps, SteppingClock } from '../../test/builders/stepped_calls.ts';
import { dispatcherOver } from '../../test/rpc/methods/node_of_methods.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';

const SIZES: HostileSizes = { heavy: 1000, rows: 3000, documents: 3000, transfers: 20_000 };
const SMALL: HostileSizes = { heavy: 70, rows: 70, documents: 20, transfers: 100 };
/** The milliseconds for which a call may hold the front. */
const BUDGET = { atMost: 10 };
/** Neighbours and the collector make a step longer, and nothing makes one shorter. */
const ROUNDS = 3;

/**
 * Measures the longest time for which each method holds the front, with the largest answer on the worst chain; worst
 * first.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const dev = await DevChain.open({ durable: false });
  try {
    if (!quick) dev.voteForLargeBlocks();
    const hostile = makeHostile(makeGround(dev), quick ? SMALL : SIZES);
    const methods = listMethods(dev.parameters.profile);
    const calls = heaviestCalls(methods, hostile).filter(({ method }) => methods.get(method)?.run.kind !== 'hand_on');
    const bodies = [
      ...calls.map(({ method, params }) => [method, writeJson({ jsonrpc: '2.0', id: 1, method, params })] as const),
      ...Object.entries(heaviestBodies()),
    ];
    const worst = new Map<string, Held>();
    for (const [name, body] of bodies) {
      const held = await longestHold(() => makeDispatcher(dev), Buffer.from(body), quick ? 1 : ROUNDS);
      if (held.ms > (worst.get(name)?.ms ?? -1))
        worst.set(name, { ...held, note: `${held.note}; ${body.slice(0, 160)}` });
    }
    return [...worst]
      .toSorted(([, a], [, b]) => b.ms - a.ms)
      .map(([name, { ms, note }]) =>
        amountRow(`longest step: ${name}`, 'step', { value: ms, unit: 'ms' }, { budget: BUDGET, note }),
      );
  } finally {
    await dev.close();
  }
}

interface Held {
  readonly ms: number;
  readonly note: string;
}

async function longestHold(open: () => Dispatcher<VerifierCall>, body: Buffer, rounds: number): Promise<Held> {
  let least: Held | undefined;
  for (let round = 0; round < rounds; round++) {
    const dispatcher = open();
    let [ms, steps] = [0, 0];
    let last = { wallMs: Infinity, cpuMs: Infinity };
    const answer = await callInSteps(dispatcher, body, () => {
      const { user, system } = process.cpuUsage();
      const now = { wallMs: performance.now(), cpuMs: (user + system) / 1000 };
      // Neighbours take wall time, and other threads CPU time: the step took no more than either.
      ms = Math.max(ms, Math.min(now.wallMs - last.wallMs, now.cpuMs - last.cpuMs));
      last = now;
      steps++;
    });
    const note = `${steps} turns, ${answer.length} bytes`;
    const error = /^.{0,40}"error":(.{0,90})/.exec(answer.toString('latin1', 0, 200))?.[1];
    if (least === undefined || ms < least.ms) least = { ms, note: error === undefined ? note : `${note}, ${error}` };
  }
  return present(least, 'a round');
}

function makeGround(dev: DevChain): Ground {
  return {
    parameters: dev.parameters,
    accept: (operation, signer) => dev.chain.accept(dev.verified(operation, signer)),
    seal: () => void dev.seal(),
    get head() {
      return dev.chain.head.number;
    },
    write: (change) => dev.writeRows(change),
  };
}

/** With nothing in memory. */
function makeDispatcher(dev: DevChain): Dispatcher<VerifierCall> {
  const rows = new View(dev.store, 1000);
  return dispatcherOver(dev.chain, dev.store, dev.parameters, {
    clock: new SteppingClock(dev.chain.head.time * 1000),
    intake: { pendingAccounts: async (names) => await setImmediate(accountRowsNamed(rows, dev.parameters, names)) },
    verifiers: { recover: async (_, signatures) => await Promise.resolve(signatures.map(() => undefined)) },
    report: () => undefined,
  });
}
