import type { Digest } from '../../values/hash.ts';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { blockRange, mountainEnds, rangeRoot } from '../../blocks/finality/block_range.ts';
import { epochVoters, type Voters } from '../../blocks/finality/voters.ts';
import { NO_VOTERS, type StatedBlock } from '../../blocks/finality/vote.ts';
import type { ValueOf } from '../../codec/codec.ts';
import { struct } from '../../codec/struct.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { HEAD_COLUMN, votersKey } from '../../state/head_record.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { blockRow, signedHeaderBytes } from '../../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { WriteBatch, type KeyValueReader, type KeyValueStore } from '../../storage/key_value.ts';
import type { RowReader } from '../../storage/rows.ts';
import { NULL_KEY } from '../../values/public_key.ts';
import { scheduledNames } from '../apply/slots.ts';
import { begunEpoch, decodeEpoch, encodeEpoch, type BegunEpoch } from './begun_epoch.ts';
import { RangeRecords } from './range_records.ts';

interface NamedVoters {
  readonly boundary: number;
  readonly epoch: BegunEpoch;
}

/** Facts about the first blocks for a chain that begins without them. */
export const finalityBeginning = struct({ range: blockRange, epoch: begunEpoch });

export type FinalityBeginning = ValueOf<typeof finalityBeginning>;

const BLOCKS_PER_WRITE = 1000;

/**
 * Keeps the statements of votes about blocks of the main branch that are not in the state: the range of all signed
 * headers, and the voters that the last block of each round names. Both are written with their block and leave with it,
 * so they are those of one branch.
 */
export class FinalityRecords {
  readonly #store: KeyValueReader;
  readonly #parameters: ChainParameters;
  readonly #range: RangeRecords;
  /** Of the blocks that were noted. */
  #named: NamedVoters[] = [];

  constructor(store: KeyValueReader, parameters: ChainParameters) {
    this.#store = store;
    this.#parameters = parameters;
    this.#range = new RangeRecords(store);
  }

  /** Fault `configuration` where the chain was written without these records. */
  requireRecords(head: number): void {
    if ((head === 0 || this.#range.has(head)) && this.begunAt(head - (head % this.#round)) !== undefined) return;
    throw new Fault(
      'configuration',
      `the folder was written without finality, and the genesis has it: nothing was changed; begin in another folder, or with "finality": false in a genesis of its own`,
    );
  }

  /** Tells which blocks from `oldest` to `head` are recorded wrongly, or not at all; for checks of the disk. */
  problems(rows: RowReader, oldest: number, head: number): string[] {
    const found: string[] = [];
    const epoch = Math.trunc(head / this.#round);
    const recorded = this.begunAt(epoch * this.#round);
    if (recorded === undefined || !this.#matchesSchedule(recorded, rows, head))
      found.push(`the voters of epoch ${epoch} are not recorded`);
    const lost = mountainEnds(oldest - 1).filter((end) => !this.#range.has(end));
    if (lost.length > 0) return [...found, `the range of headers lacks the mountains of blocks ${lost.join(', ')}`];
    const wrong = this.#range.firstProblem(oldest, head, (number) => {
      const row = blockRow(rows, number);
      return row && signedHeaderBytes(row);
    });
    return wrong === undefined
      ? found
      : [...found, `the range of headers has other nodes for block ${wrong} than its header`];
  }

  /**
   * Notes the block that these rows describe, which follows the one noted before. `appendRows` adds it to a write, or
   * `discard` forgets it.
   */
  note(rows: RowReader): void {
    const { head_block_number: number } = rows.only(dynamicGlobalProperties);
    if (number > 0) this.#noteInRange(rows, number);
    // By the state behind the round's last block. A key that changes later counts from the next epoch on.
    if (number % this.#round === 0) this.#named.push({ boundary: number, epoch: this.#namedBy(rows) });
  }

  appendRows(batch: WriteBatch): void {
    this.#range.appendRows(batch);
    for (const { boundary, epoch } of this.#named.splice(0))
      batch.put(HEAD_COLUMN, votersKey(boundary), encodeEpoch(epoch));
  }

  /**
   * Forgets what was noted: it has not been applied after all, or the records in the store are those of an earlier time
   * again.
   */
  discard(): void {
    this.#named = [];
    this.#range.discard();
  }

  /** The head is undone, which was written alone. */
  takeBack(batch: WriteBatch, number: number): void {
    this.#range.takeBack(batch, number);
    if (number % this.#round === 0) batch.delete(HEAD_COLUMN, votersKey(number));
  }

  /** The beginning of a chain with the state behind block `head` and the blocks from `oldest` on. */
  beginningAt(oldest: number, head: number): FinalityBeginning {
    const epoch = Math.trunc(head / this.#round);
    return {
      range: this.#range.upTo(Math.max(oldest, 1) - 1),
      epoch: present(this.begunAt(epoch * this.#round), `epoch ${epoch}`),
    };
  }

  /**
   * Records what was told, and adds the blocks from `oldest` on, which are there. Fault `damaged_data` where it can't
   * be of this state.
   */
  adopt(store: KeyValueStore, rows: RowReader, oldest: number, { range, epoch }: FinalityBeginning): void {
    const { head_block_number: head } = rows.only(dynamicGlobalProperties);
    const ends = mountainEnds(range.count);
    const isFit = range.count === Math.max(oldest, 1) - 1 && range.count <= head && ends.length === range.peaks.length;
    if (!isFit || !this.#matchesSchedule(epoch, rows, head))
      throw new Fault('damaged_data', `what it says of finality is not of the state behind block ${head}`);
    const batch = new WriteBatch();
    this.#range.begin(range, batch);
    batch.put(HEAD_COLUMN, votersKey(epoch.epoch * this.#round), encodeEpoch(epoch));
    store.write(batch, false);
    for (let number = range.count + 1; number <= head; number++) {
      this.#noteInRange(rows, number);
      if (number % BLOCKS_PER_WRITE === 0 || number === head) this.#write(store);
    }
  }

  /** Blocks from `first` up to the one before `next` are kept no more. */
  forget(batch: WriteBatch, first: number, next: number): void {
    this.#range.forget(batch, first, next);
  }

  /**
   * The voters of an epoch; undefined before the block that names them is applied, and where they are no longer kept.
   */
  votersOf(epoch: number): Voters | undefined {
    const begun = this.begunAt(epoch * this.#round);
    return begun && epochVoters(this.#parameters.chainId, begun.epoch, begun.keys);
  }

  /** The epoch that begins behind the last block of a round, or behind block 0; undefined as for its voters. */
  begunAt(boundary: number): BegunEpoch | undefined {
    const bytes = this.#store.get(HEAD_COLUMN, votersKey(boundary));
    return bytes && decodeEpoch(bytes);
  }

  /** A node of the range that a kept block has completed, or of which a kept mountain is the top. */
  rangeNode(height: number, index: number): Digest {
    return this.#range.node(height, index);
  }

  /** Returns the statement of votes about a stored block of the main branch. `rows` are those of the head. */
  stated(rows: RowReader, number: number): StatedBlock {
    const row = present(blockRow(rows, number), `block ${number}`);
    return {
      block: row.id,
      header: sha256Hex(signedHeaderBytes(row)),
      root: rangeRoot(this.#range.upTo(number)),
      next_voters:
        number % this.#round === 0 ? present(this.votersOf(number / this.#round), 'the next voters').digest : NO_VOTERS,
    };
  }

  get #round(): number {
    return this.#parameters.genesis.max_witnesses;
  }

  #noteInRange(rows: RowReader, number: number): void {
    const row = present(blockRow(rows, number), 'the noted block');
    this.#range.note(number, signedHeaderBytes(row));
  }

  #write(store: KeyValueStore): void {
    const batch = new WriteBatch();
    this.appendRows(batch);
    store.write(batch, false);
  }

  #namedBy(rows: RowReader): BegunEpoch {
    const { head_block_number, head_block_id: after, time: after_time } = rows.only(dynamicGlobalProperties);
    const epoch = head_block_number / this.#round;
    const names = scheduledNames(rows.only(witnessSchedule));
    const signingKeys = names.map((name) => rows.get(witnesses, name)?.signing_key ?? NULL_KEY);
    const { keys } = epochVoters(this.#parameters.chainId, epoch, signingKeys);
    return { epoch, keys, after, after_time };
  }

  /**
   * Returns whether an epoch can be the one that runs behind this state: in the middle of a round, keys may have
   * changed since it began.
   */
  #matchesSchedule(epoch: BegunEpoch, rows: RowReader, head: number): boolean {
    if (head % this.#round !== 0) return epoch.epoch === Math.trunc(head / this.#round);
    return Buffer.compare(encodeEpoch(epoch), encodeEpoch(this.#namedBy(rows))) === 0;
  }
}
