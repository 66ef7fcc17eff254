import { present } from '../../base/assert.ts';
import { catchRefusal } from '../../base/refusal.ts';
import { readBlock } from '../../blocks/block.ts';
import { headerDigest } from '../../blocks/header.ts';
import type { JudgedHeader } from '../../chain/forks/branches.ts';
import { summarizeBlock, type BlockSummary } from '../../p2p/blocks/block_summary.ts';
import type { NodeId } from '../../wire/wire_values.ts';
import type { BlockOutcome, HeaderJudgement, SubmissionPlace } from '../../p2p/environment/chain_access.ts';
import { isFailure } from '../threads/writer/peer_blocks.ts';
import { encodePackedItems, groupPackedItems, splitPackedItems, type ItemGroup } from '../../blocks/packed_items.ts';
import type { Verifiers } from '../../verifiers/verifier_pool.ts';
import type { WriterClient } from '../threads/writer/writer_client.ts';

export interface PeerBlocksParts {
  readonly writer: Pick<WriterClient, 'ask'>;
  readonly verifiers: Pick<Verifiers, 'recover' | 'encodedBlocks' | 'verifyPacked'>;
}

/** In one task of a verifier and one write: a tenth of a second of either, and little to copy. */
const GROUP = { items: 4096, bytes: 1024 * 1024 };
/** Asks for what waits. */
const NOTHING: readonly ItemGroup[] = [{ bytes: new Uint8Array(0), isLast: true }];
/** Groups that are verified ahead of the one being written. */
const GROUPS_AHEAD = 4;

/** Takes blocks of peers, one submission after another: curves to the verifiers, everything else to the writer. */
export class PeerBlocksIntake {
  readonly #parts: PeerBlocksParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: PeerBlocksParts) {
    this.#parts = parts;
  }

  /**
   * Blocks that follow each other, as `encodePackedItems` makes them: an outcome for each up to the first that isn't
   * taken. Rejects only when the node is at fault.
   */
  async submit(blocks: Uint8Array, place: SubmissionPlace): Promise<readonly BlockOutcome[]> {
    const taken = this.#last.then(() => this.#take(blocks, place));
    this.#last = taken.catch(() => undefined);
    return await taken;
  }

  /** Judges a header whose signer is known. */
  async judge(block: JudgedHeader): Promise<HeaderJudgement> {
    return await this.#parts.writer.ask({ kind: 'judge', block });
  }

  /** Finds out who has signed transactions, each behind its length; rejects with the Refusal of one that is none. */
  async verifyPacked(transactions: Uint8Array): Promise<readonly Uint8Array[]> {
    return await this.#parts.verifiers.verifyPacked(transactions);
  }

  /** A block with all its signers: there is nothing left to prove. */
  async submitVerified(verified: Uint8Array, from: NodeId): Promise<readonly BlockOutcome[]> {
    const taken = this.#last.then(() =>
      this.#parts.writer.ask({ kind: 'peer_blocks', verified, isCatchingUp: false, isFirst: true, isLast: true, from }),
    );
    this.#last = taken.catch(() => undefined);
    return await taken;
  }

  async #take(blocks: Uint8Array, place: SubmissionPlace): Promise<readonly BlockOutcome[]> {
    const [first, second] = splitPackedItems(blocks);
    // Headers that others wait for are judged together.
    const isOne = place.isFirst && second === undefined;
    const judged = place.isFirst ? await this.#judge(present(first, 'a block')) : undefined;
    if (judged !== undefined && judged.kind !== 'right' && (isFailure(judged) || isOne)) return [judged];
    const outcomes: BlockOutcome[] = [];
    let { isFirst } = place;
    for await (const { verified, malformed, isLast } of this.#verifiedGroups(blocks, place.isVouchedFor)) {
      if (verified !== undefined) {
        const isEnd = (isLast && place.isLast) || malformed !== undefined;
        const group = { verified, isCatchingUp: !isOne, isFirst, isLast: isEnd, from: place.from };
        const made = await this.#parts.writer.ask({ kind: 'peer_blocks', ...group });
        outcomes.push(...made);
        if (made.some(isFailure)) break;
        isFirst = false;
      }
      if (malformed !== undefined) {
        outcomes.push(malformed);
        break;
      }
    }
    return outcomes;
  }

  /** The header alone, which costs one signature: its transactions may have ten thousand. */
  async #judge(packed: Uint8Array): Promise<HeaderJudgement> {
    let summary: BlockSummary | undefined;
    const refusal = catchRefusal(() => {
      summary = summarizeBlock(packed);
    });
    if (summary === undefined) return malformedOutcome(refusal);
    const { id, number, header } = summary;
    const [signer] = await this.#parts.verifiers.recover(Buffer.from(headerDigest(header)).toString('hex'), [
      header.witness_signature,
    ]);
    return await this.#parts.writer.ask({ kind: 'judge', block: { id, number, header, signer } });
  }

  async *#verifiedGroups(blocks: Uint8Array, isVouchedFor: boolean): AsyncGenerator<VerifiedGroup> {
    const groups = blocks.length === 0 ? NOTHING.values() : groupPackedItems(blocks, GROUP);
    const ahead: Promise<VerifiedGroup>[] = [];
    const fill = (): void => {
      while (ahead.length < GROUPS_AHEAD) {
        const group = groups.next();
        if (group.done === true) return;
        const verified = this.#verify(group.value, isVouchedFor);
        // A rejection is handled when its group's turn comes; until then it must not count as unhandled.
        verified.catch(() => undefined);
        ahead.push(verified);
      }
    };
    for (fill(); ahead.length > 0; fill()) {
      const next = await ahead.shift();
      if (next !== undefined) yield next;
    }
  }

  async #verify({ bytes, isLast }: ItemGroup, isVouchedFor: boolean): Promise<VerifiedGroup> {
    const { verifiers } = this.#parts;
    try {
      return { verified: await verifiers.encodedBlocks(bytes.slice(), isVouchedFor), malformed: undefined, isLast };
    } catch (error) {
      const group = [...splitPackedItems(bytes)];
      const refusals = group.map((packed) => catchRefusal(() => void readBlock(packed)));
      const first = refusals.findIndex((refusal) => refusal !== undefined);
      if (first < 0) throw error;
      const before =
        first === 0 ? undefined : await verifiers.encodedBlocks(encodePackedItems(group.slice(0, first)), isVouchedFor);
      return { verified: before, malformed: malformedOutcome(refusals[first]), isLast };
    }
  }
}

/** Blocks before the first malformed one, as the writer takes them. */
interface VerifiedGroup {
  readonly verified: Uint8Array | undefined;
  readonly malformed: BlockOutcome | undefined;
  readonly isLast: boolean;
}

function malformedOutcome(refusal: Error | undefined): BlockOutcome {
  return { kind: 'refused', fault: 'sender', reason: refusal?.message ?? 'no block' };
}
