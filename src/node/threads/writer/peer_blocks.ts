import { Refusal, catchRefusal } from '../../../base/refusal.ts';
import type { VerifiedBlock } from '../../../blocks/block.ts';
import type { JudgedHeader } from '../../../chain/forks/branches.ts';
import type { Chain } from '../../../chain/chain.ts';
import { faultOfBody, faultOfBranch, faultOfHeader } from '../../../p2p/blocks/block_fault.ts';
import type { BlockOutcome, HeaderJudgement } from '../../../p2p/environment/chain_access.ts';
import type { NodeId } from '../../../wire/wire_values.ts';

/** Judges the header of a peer's block. */
export function judgePeerBlock(chain: Pick<Chain, 'head' | 'judge'>, block: JudgedHeader): HeaderJudgement {
  const isOnHead = block.header.previous === chain.head.id;
  try {
    const standing = chain.judge(block);
    return standing === 'known' ? { kind: 'known' } : { kind: 'right', isProven: standing === 'proven' };
  } catch (error) {
    return errorOutcome(error, (code) => faultOfHeader(code, isOnHead));
  }
}

/** One of the groups of a submission. */
export interface PeerGroup {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The peer that brought the last of its blocks; nobody by default. */
  readonly from?: NodeId;
}

type Taking = Pick<
  Chain,
  | 'head'
  | 'judge'
  | 'push'
  | 'extendFinal'
  | 'confirmedPrefix'
  | 'contradictsCheckpoint'
  | 'areSignedByScheduled'
  | 'countsConfirmations'
>;

/** Fewer blocks and bytes are not worth a write of their own. */
const LEAST_TOGETHER = { blocks: 32, bytes: 1024 * 1024 };
/** A round of blocks of the template's largest size, which those before them have to wait for. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Applies submissions of peers' blocks, which come in groups. What enough witnesses have built on is applied many
 * blocks in a write; the last ones of a group wait for the next one, which may build on them.
 */
export class PeerBlocks {
  readonly #chain: Taking;
  readonly #writesEndEach: number;
  readonly #refuted: () => void;
  #waiting: readonly VerifiedBlock[] = [];

  /**
   * A write of many blocks ends with each block whose number is a multiple of `writesEndEach`. `refuted` hears when
   * enough witnesses have built on another block than the operator has named.
   */
  constructor(chain: Taking, writesEndEach = Infinity, refuted: () => void = () => undefined) {
    this.#chain = chain;
    this.#refuted = refuted;
    this.#writesEndEach = writesEndEach;
  }

  /**
   * An outcome for each block, those that waited included, up to the first that isn't taken; those that wait now have
   * none yet.
   */
  take(blocks: readonly VerifiedBlock[], { isFirst, isLast, from = '' }: PeerGroup): BlockOutcome[] {
    // A new block in between: those of a sync go on waiting.
    if (isFirst && isLast && blocks.length === 1) return takePeerBlocks(this.#chain, blocks, from);
    const all = isFirst ? blocks : [...this.#waiting, ...blocks];
    this.#waiting = [];
    const { count, isRefused } = this.#takeTogether(all);
    const rest = all.slice(count);
    if (!isLast && !isRefused && this.#mayWait(rest)) {
      this.#waiting = rest;
      return takenTimes(count);
    }
    const outcomes = takePeerBlocks(this.#chain, rest, from);
    this.#noteRefuted(rest.slice(outcomes.length - 1), outcomes.at(-1));
    return [...takenTimes(count), ...outcomes];
  }

  /** A refused block may contradict a checkpoint. The witnesses of the blocks behind it tell who is right. */
  #noteRefuted(blocks: readonly VerifiedBlock[], outcome: BlockOutcome | undefined): void {
    const [refused] = blocks;
    if (refused === undefined || outcome === undefined || !isFailure(outcome)) return;
    if (this.#chain.contradictsCheckpoint(refused) && this.#chain.confirmedPrefix(blocks) > 0) this.#refuted();
  }

  /**
   * Applies blocks in one write; returns the number of first ones that were applied. A refused one is found by applying
   * them one by one.
   */
  #takeTogether(blocks: readonly VerifiedBlock[]): { readonly count: number; readonly isRefused: boolean } {
    const none = { count: 0, isRefused: false };
    if (!this.#chain.countsConfirmations || blocks[0]?.header.previous !== this.#chain.head.id) return none;
    const some = blocks.slice(0, this.#chain.confirmedPrefix(blocks));
    if (some.length < LEAST_TOGETHER.blocks && countBytes(some) < LEAST_TOGETHER.bytes) return none;
    let count = 0;
    const refusal = catchRefusal(() => {
      for (const write of this.#groupWrites(some)) {
        this.#chain.extendFinal(write);
        count += write.length;
      }
    });
    return { count, isRefused: refusal !== undefined };
  }

  *#groupWrites(blocks: readonly VerifiedBlock[]): Generator<readonly VerifiedBlock[]> {
    let from = 0;
    for (const [index, { number }] of blocks.entries()) {
      if (number % this.#writesEndEach !== 0 && index < blocks.length - 1) continue;
      yield blocks.slice(from, index + 1);
      from = index + 1;
    }
  }

  /**
   * Blocks that no witness of the round has signed are refused at once, so that nobody can have much verified in vain.
   */
  #mayWait(blocks: readonly VerifiedBlock[]): boolean {
    if (!this.#chain.countsConfirmations) return false;
    const follows = blocks[0] === undefined || blocks[0].header.previous === this.#chain.head.id;
    return follows && countBytes(blocks) <= MOST_WAITING_BYTES && this.#chain.areSignedByScheduled(blocks);
  }
}

function countBytes(blocks: readonly VerifiedBlock[]): number {
  return blocks.reduce((sum, { packed }) => sum + packed.length, 0);
}

const TAKEN: BlockOutcome = { kind: 'taken' };

/** The same value each time: it crosses threads once. */
function takenTimes(count: number): BlockOutcome[] {
  return Array.from({ length: count }, () => TAKEN);
}

/** Applies a peer's blocks, which follow each other: an outcome for each up to the first that isn't taken. */
function takePeerBlocks(
  chain: Pick<Chain, 'head' | 'judge' | 'push'>,
  blocks: readonly VerifiedBlock[],
  from: NodeId,
): BlockOutcome[] {
  const outcomes: BlockOutcome[] = [];
  for (const block of blocks) {
    const outcome = takePeerBlock(chain, block, from);
    outcomes.push(outcome);
    if (isFailure(outcome)) break;
  }
  return outcomes;
}

/** Blocks behind such a one are not tried. */
export function isFailure({ kind }: BlockOutcome): boolean {
  return kind === 'refused' || kind === 'unlinkable';
}

function takePeerBlock(
  chain: Pick<Chain, 'head' | 'judge' | 'push'>,
  block: VerifiedBlock,
  from: NodeId,
): BlockOutcome {
  const judged = judgePeerBlock(chain, block);
  if (judged.kind !== 'right') return judged;
  const isOnHead = block.header.previous === chain.head.id;
  try {
    chain.push(block, from);
    return TAKEN;
  } catch (error) {
    return errorOutcome(error, isOnHead ? faultOfBody : faultOfBranch);
  }
}

type Fault = Extract<BlockOutcome, { kind: 'refused' }>['fault'];

/** Anything but a Refusal is our own failure. */
function errorOutcome(error: unknown, faultOf: (code: string) => Fault): BlockOutcome {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'unlinkable_block') return { kind: 'unlinkable' };
  return { kind: 'refused', fault: faultOf(error.code), reason: error.message };
}
