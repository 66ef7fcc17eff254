import { Refusal } from '../../base/refusal.ts';
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

/** Applies a peer's blocks, which follow each other: an outcome for each up to the first that isn't taken. */
export function takePeerBlocks(chain: Pick<Chain, 'head' | 'judge' | 'push'>, blocks: readonly VerifiedBlock[]): BlockOutcome[] {
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
