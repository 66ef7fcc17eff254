import { present } from '../../base/assert.ts';
import { refusalOf } from '../../base/refusal.ts';
import { readBlock } from '../../blocks/block.ts';
import { headerDigest } from '../../blocks/header.ts';
import type { JudgedHeader } from '../../chain/branches.ts';
import { summaryOf, type BlockSummary } from '../../p2p/block_summary.ts';
import type { BlockOutcome } from '../../p2p/chain_access.ts';
import type { ToWriter } from '../threads/messages.ts';
import { isFailure } from '../threads/peer_blocks.ts';
import type { Verifiers } from '../threads/verifier_pool.ts';
import type { WriterClient } from '../threads/writer_client.ts';

export interface PeerBlocksParts {
  readonly writer: Pick<WriterClient, 'ask'>;
  readonly verifiers: Pick<Verifiers, 'recover' | 'encodedBlocks'>;
}

/** Blocks or bytes in one task of a verifier and one write, whichever comes first. */
const GROUP_BLOCKS = 512;
const GROUP_BYTES = 1024 * 1024;
/** Groups that are verified ahead of the one being written. */
const GROUPS_AHEAD = 4;

/** Takes blocks of peers, one submission after another: curves to the verifiers, everything else to the writer. */
export class PeerBlocksIntake {
  readonly #parts: PeerBlocksParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: PeerBlocksParts) {
    this.#parts = parts;
  }

  /** Packed blocks that follow each other: an outcome for each up to the first that isn't taken. Rejects only when the node is at fault. */
  async submit(blocks: readonly Uint8Array[]): Promise<readonly BlockOutcome[]> {
    const taken = this.#last.then(() => this.#take(blocks));
    this.#last = taken.catch(() => undefined);
    return await taken;
  }

  async #take(blocks: readonly Uint8Array[]): Promise<readonly BlockOutcome[]> {
    const problem = await this.#judge(present(blocks[0], 'a block'));
    if (problem !== undefined && (isFailure(problem) || blocks.length === 1)) return [problem];
    const isCatchingUp = blocks.length > 1;
    const outcomes: BlockOutcome[] = [];
    let isFirst = true;
    for await (const { verified, malformed, isLast } of this.#verifiedGroups(blocks)) {
      if (verified !== undefined) {
        const group = { verified, isCatchingUp, isFirst, isLast: isLast || malformed !== undefined };
        const made = await outcomesOf(this.#parts.writer, group);
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
  async #judge(packed: Uint8Array): Promise<BlockOutcome | undefined> {
    let summary: BlockSummary | undefined;
    const refusal = refusalOf(() => {
      summary = summaryOf(packed);
    });
    if (summary === undefined) return malformedBy(refusal);
    const { id, number, header } = summary;
    const [signer] = await this.#parts.verifiers.recover(Buffer.from(headerDigest(header)).toString('hex'), [header.witness_signature]);
    return await problemOf(this.#parts.writer, { id, number, header, signer });
  }

  async *#verifiedGroups(blocks: readonly Uint8Array[]): AsyncGenerator<VerifiedGroup> {
    const groups = groupsOf(blocks);
    const ahead: Promise<VerifiedGroup>[] = [];
    const fill = (): void => {
      while (ahead.length < GROUPS_AHEAD) {
        const group = groups.next();
        if (group.done === true) return;
        const verified = this.#verify(group.value.blocks, group.value.isLast);
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

  async #verify(group: readonly Uint8Array[], isLast: boolean): Promise<VerifiedGroup> {
    const { verifiers } = this.#parts;
    try {
      return { verified: await verifiers.encodedBlocks(group), malformed: undefined, isLast };
    } catch (error) {
      const refusals = group.map((packed) => refusalOf(() => void readBlock(packed)));
      const first = refusals.findIndex((refusal) => refusal !== undefined);
      if (first < 0) throw error;
      const before = first === 0 ? undefined : await verifiers.encodedBlocks(group.slice(0, first));
      return { verified: before, malformed: malformedBy(refusals[first]), isLast };
    }
  }
}

/** Blocks before the first malformed one, as the writer takes them. */
interface VerifiedGroup {
  readonly verified: Uint8Array | undefined;
  readonly malformed: BlockOutcome | undefined;
  readonly isLast: boolean;
}

function* groupsOf(blocks: readonly Uint8Array[]): Generator<{ readonly blocks: readonly Uint8Array[]; readonly isLast: boolean }> {
  let group: Uint8Array[] = [];
  let bytes = 0;
  for (const [index, packed] of blocks.entries()) {
    group.push(packed);
    bytes += packed.length;
    if (group.length < GROUP_BLOCKS && bytes < GROUP_BYTES) continue;
    yield { blocks: group, isLast: index === blocks.length - 1 };
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield { blocks: group, isLast: true };
}

function malformedBy(refusal: Error | undefined): BlockOutcome {
  return { kind: 'refused', fault: 'sender', reason: refusal?.message ?? 'no block' };
}

async function problemOf(writer: PeerBlocksParts['writer'], block: JudgedHeader): Promise<BlockOutcome | undefined>;
async function problemOf(writer: PeerBlocksParts['writer'], block: JudgedHeader): Promise<unknown> {
  return await writer.ask({ kind: 'judge', block });
}

type PeerGroup = Omit<Extract<ToWriter, { kind: 'peer_blocks' }>, 'kind' | 'ticket'>;

async function outcomesOf(writer: PeerBlocksParts['writer'], group: PeerGroup): Promise<BlockOutcome[]>;
async function outcomesOf(writer: PeerBlocksParts['writer'], group: PeerGroup): Promise<unknown> {
  return await writer.ask({ kind: 'peer_blocks', ...group });
}
