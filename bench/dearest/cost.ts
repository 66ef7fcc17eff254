import { Refusal } from '../../src/base/refusal.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { DevChain } from '../dev_chain.ts';
import type { At, Scenario } from './scenario.ts';
import { Stage } from './stage.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';

/** The writer's time for a scenario, at its cheapest of several runs. */
export interface Cost {
  readonly ms: number;
  /** `accepted`, or the code of the refusal. */
  readonly outcome: string;
  readonly bytes: number;
  readonly operations: number;
}

/** The number of runs: at least, and at most when a run never was cheap enough. */
export interface Times {
  readonly least: number;
  readonly most: number;
  /** So many plain transfers, of those that are accepted beside it. */
  readonly enough: number;
  readonly plain: PlainTransfer;
}

/** Sets the stage and plays until it was cheap enough once, each time on a chain that has no row in memory. */
export async function measureCost(
  scenario: Scenario,
  rules: RuleSet,
  at: At,
  { least, most, enough, plain }: Times,
): Promise<Cost> {
  const stage = await Stage.open(rules, scenario.blocks ?? 1);
  try {
    const operations = stage.set((set) => scenario.set(set, at));
    const transaction = scenario.of === 'block' ? undefined : stage.transaction(operations, scenario.signer ?? 'alice');
    let { cost: best, takeBack } = playOnce(stage, transaction);
    plain.takeTurn();
    for (let time = 1; time < least || (time < most && best.ms > enough * plain.ms); time++) {
      takeBack();
      plain.takeTurn();
      const again = playOnce(stage, transaction);
      if (again.cost.ms < best.ms) best = again.cost;
      takeBack = again.takeBack;
    }
    return best;
  } finally {
    await stage.close();
  }
}

interface Play {
  readonly cost: Cost;
  /** Undoes its block; after the last play the chain goes anyway. */
  readonly takeBack: () => void;
}

function playOnce(stage: Stage, transaction: VerifiedTransaction | undefined): Play {
  const chain = stage.chain();
  // Somebody else's transaction begins the block.
  if (transaction !== undefined) for (const plain of stage.dev.transfers(1)) chain.accept(plain);
  let outcome = 'accepted';
  const ms = measureCpuMs(() => {
    if (transaction !== undefined) outcome = applyOutcome(chain, transaction);
    if (outcome === 'accepted') stage.dev.seal(chain);
  });
  const cost = {
    ms,
    outcome,
    bytes: transaction?.packed.length ?? 0,
    operations: transaction?.transaction.operations.length ?? 0,
  };
  return { cost, takeBack: () => void (outcome === 'accepted' && chain.undo()) };
}

function applyOutcome(chain: Chain, transaction: VerifiedTransaction): string {
  try {
    chain.accept(transaction);
    return 'accepted';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const TRANSFERS = 1000;
const WARM_TURNS = 8;

/** The yardstick: CPU-ms of a plain transfer, accepted and sealed; the cheapest of the turns since `begin`. */
export class PlainTransfer {
  readonly #dev: DevChain;
  #next = 1;
  ms = Infinity;

  private constructor(dev: DevChain) {
    this.#dev = dev;
  }

  static async open(): Promise<PlainTransfer> {
    const dev = await DevChain.open({ durable: false });
    dev.seal();
    const plain = new PlainTransfer(dev);
    for (let turn = 0; turn < WARM_TURNS; turn++) plain.takeTurn();
    return plain;
  }

  /** Forgets what it cost before: a machine that was quiet then may not be now. */
  begin(): void {
    this.ms = Infinity;
  }

  takeTurn(): void {
    const transfers = this.#dev.transfers(TRANSFERS, this.#next);
    this.#next += TRANSFERS;
    const ms = measureCpuMs(() => {
      this.#dev.chain.prefetch(transfers);
      for (const transfer of transfers) this.#dev.chain.accept(transfer);
      this.#dev.seal();
    });
    this.ms = Math.min(this.ms, ms / TRANSFERS);
  }

  close(): Promise<void> {
    return this.#dev.close();
  }
}

function measureCpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
