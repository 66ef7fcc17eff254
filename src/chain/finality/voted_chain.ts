import { present } from '../../base/assert.ts';
import { certificate, type Certificate } from '../../blocks/finality/certificate.ts';
import type { StatedBlock } from '../../blocks/finality/vote.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import { readHeader } from '../../blocks/block.ts';
import { ByteReader } from '../../codec/bytes.ts';
import { blockRow } from '../../state/stored_blocks.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import type { Branches } from '../forks/branches.ts';
import type { EndedEpoch } from '../../blocks/finality/ended_epoch.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BlockPlace, FinalityChain } from './finality_chain.ts';

/** The main branch and the others that are kept, as votes see them. */
export class VotedChain implements FinalityChain {
  readonly #ledger: Ledger;
  readonly #branches: Branches;

  constructor(ledger: Ledger, branches: Branches) {
    this.#ledger = ledger;
    this.#branches = branches;
  }

  get head(): BlockPlace {
    const { head_block_id: id, head_block_number } = this.#ledger.head;
    return { id, slot: this.blockSlot(head_block_number) };
  }

  getAncestor(id: BlockId, number: number): BlockId | undefined {
    if (number > getBlockNumber(id)) return undefined;
    let at = id;
    for (let side = this.#branches.get(at); side !== undefined; side = this.#branches.get(at)) {
      if (side.number === number) return side.id;
      at = side.previous;
    }
    const leaves = getBlockNumber(at);
    if (this.#ledger.mainBlockId(leaves) !== at) return undefined;
    return this.#ledger.mainBlockId(number);
  }

  blockSlot(number: number): number {
    return number === 0 ? 0 : Math.trunc(this.#timeAt(number) / this.#ledger.parameters.blockIntervalSeconds);
  }

  statedAt(number: number): StatedBlock {
    return this.#ledger.finality.stated(this.#ledger.committed, number);
  }

  votersOf(epoch: number): Voters | undefined {
    return this.#ledger.finality.votersOf(epoch);
  }

  /** The certificate of the last final block; undefined where none proves it. */
  get finalCertificate(): Certificate | undefined {
    const bytes = this.#ledger.finalCertificate;
    return bytes.length === 0 ? undefined : certificate.read(new ByteReader(bytes));
  }

  /** The first epochs from this one on that have ended with a certificate, in order, as far as they are kept. */
  endedEpochs(from: number, count: number): readonly EndedEpoch[] {
    return this.#ledger.boundaries.endedEpochs(from, count);
  }

  #timeAt(number: number): number {
    const { head, finality, committed } = this.#ledger;
    if (number === head.head_block_number) return head.time;
    const row = blockRow(committed, number);
    if (row !== undefined) return readHeader(row.head).timestamp;
    return present(finality.begunAt(number), `the time of block ${number}`).after_time;
  }
}
