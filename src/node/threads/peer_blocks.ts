import { Refusal, refusalOf } from '../../base/refusal.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import type { JudgedHeader } from '../../chain/branches.ts';
import type { Chain } from '../../chain/chain.ts';
import { faultOfBody, faultOfHeader } from '../../p2p/block_fault.ts';
import type { BlockOutcome } from '../../p2p/chain_access.ts';

/** What is wrong with the header of a peer's block; undefined when it is new and right. */
export function judgePeerBlock(chain: Pick<Chain, 'head' | 'judge'>, block: JudgedHeader): BlockOutcome | undefined {
  const isOnHead = block.header.previous === chain.head.id;
  try {
    return chain.judge(block) ? undefined : { kind: 'known' };
  } catch (error) {
    return outcomeOf(error, (code) => faultOfHeader(code, isOnHead));
  }
}

/** One of the groups of a submission. */
export interface PeerGroup {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

type Taking = Pick<Chain, 'head' | 'judge' | 'push' | 'extendFinal' | 'confirmedPrefix'>;

/** Fewer are not worth a write of their own. */
const LEAST_TOGETHER = 32;

/**
 * Applies submissions of peers' blocks, which come in groups. What enough witnesses have built on is applied many blocks in a write; the
 * last ones of a group wait for the next one, which may build on them.
 */
export class PeerBlocks {
  readonly #chain: Taking;
  #waiting: readonly VerifiedBlock[] = [];

  constructor(chain: Taking) {
    this.#chain = chain;
  }

  /** An outcome for each block, those that waited included, up to the first that isn't taken; those that wait now have none yet. */
  take(blocks: readonly VerifiedBlock[], { isFirst, isLast }: PeerGroup): BlockOutcome[] {
    const all = isFirst ? blocks : [...this.#waiting, ...blocks];
    this.#waiting = [];
    const together = this.#takeTogether(all);
    const rest = all.slice(together);
    if (!isLast && together > 0) {
      this.#waiting = rest;
      return takenTimes(together);
    }
    return [...takenTimes(together), ...takePeerBlocks(this.#chain, rest)];
  }

  /** How many of the first ones were applied in one write; one that is refused is found by applying them one by one. */
  #takeTogether(blocks: readonly VerifiedBlock[]): number {
    if (blocks[0]?.header.previous !== this.#chain.head.id) return 0;
    const count = this.#chain.confirmedPrefix(blocks);
    if (count < LEAST_TOGETHER) return 0;
    return refusalOf(() => this.#chain.extendFinal(blocks.slice(0, count))) === undefined ? count : 0;
  }
}

function takenTimes(count: number): BlockOutcome[] {
  return Array.from({ length: count }, () => ({ kind: 'taken' }));
}

/** Applies a peer's blocks, which follow each other: an outcome for each up to the first that isn't taken. */
function takePeerBlocks(chain: Pick<Chain, 'head' | 'judge' | 'push'>, blocks: readonly VerifiedBlock[]): BlockOutcome[] {
  const outcomes: BlockOutcome[] = [];
  for (const block of blocks) {
    const outcome = takePeerBlock(chain, block);
    outcomes.push(outcome);
    if (isFailure(outcome)) break;
  }
  return outcomes;
}

/** What comes behind such a block is not tried. */
export function isFailure({ kind }: BlockOutcome): boolean {
  return kind === 'refused' || kind === 'unlinkable';
}

function takePeerBlock(chain: Pick<Chain, 'head' | 'judge' | 'push'>, block: VerifiedBlock): BlockOutcome {
  const problem = judgePeerBlock(chain, block);
  if (problem !== undefined) return problem;
  try {
    chain.push(block);
    return { kind: 'taken' };
  } catch (error) {
    return outcomeOf(error, faultOfBody);
  }
}

type Fault = Extract<BlockOutcome, { kind: 'refused' }>['fault'];

/** Anything but a Refusal is our own failure. */
function outcomeOf(error: unknown, faultOf: (code: string) => Fault): BlockOutcome {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'unlinkable_block') return { kind: 'unlinkable' };
  return { kind: 'refused', fault: faultOf(error.code), reason: error.message };
}
