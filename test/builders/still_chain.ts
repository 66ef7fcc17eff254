import type { RandomSource, Environment } from '../../src/p2p/environment/environment.ts';
import type { BlockParts, ChainPosition, ChainView } from '../../src/p2p/environment/chain_access.ts';
import { latestTime } from '../../src/p2p/sync/latest_time.ts';
import type { Log } from '../../src/base/log.ts';
import { RandomSource as SeededRandomSource } from './random_source.ts';
import type { HandClock } from './hand_clock.ts';

export const CHAIN_ID = 'ab'.repeat(32);
export const PROFILE = 'cd'.repeat(32);

/** The id of a made-up block. */
export function madeUpId(number: number, branch = 0): string {
  return number.toString(16).padStart(8, '0') + branch.toString(16).padStart(32, '0');
}

/** A chain that stands still, of made-up blocks: for links, which look at its head alone. */
export class StillChain implements ChainView {
  readonly chainId: string;
  readonly profile = PROFILE;
  readonly oldestBlock = 1;
  readonly slots = { genesisTime: 0, intervalSeconds: 3 };
  head: ChainPosition;

  constructor(number: number, chainId = CHAIN_ID) {
    this.chainId = chainId;
    this.head = { number, id: madeUpId(number), time: number * 3, irreversible: Math.max(0, number - 10) };
  }

  blockId(number: number): string | undefined {
    return number <= this.head.number ? madeUpId(number) : undefined;
  }

  readParts(_number: number): BlockParts | undefined {
    return undefined;
  }

  knows(id: string): boolean {
    return this.blockId(Number.parseInt(id.slice(0, 8), 16)) === id;
  }
}

export const silentLog: Log = {
  debug: () => undefined,
  notice: () => undefined,
  warning: () => undefined,
  error: () => undefined,
};

/** A world of one node that nobody answers. */
export function quietWorld(clock: HandClock, view: ChainView, seed = 1): Environment {
  const randomSource: RandomSource = new SeededRandomSource(seed);
  return {
    clock,
    latestMs: latestTime(clock),
    randomSource,
    log: silentLog,
    view,
    intake: {
      submitBlocks: () => undefined,
      judgeHeader: () => undefined,
      verifyTransactions: () => undefined,
      submitVerified: () => undefined,
      hasValidSignature: () => false,
      submitAlive: () => undefined,
      isVoteSigned: () => false,
      takeVotes: () => undefined,
      takeCertificate: () => undefined,
      submitTransactions: () => undefined,
      hurryTransactions: () => undefined,
    },
    dial: () => undefined,
    failed: () => undefined,
  };
}
