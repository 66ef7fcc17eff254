import { present } from '../../base/assert.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import type { KeyValueReader, WriteBatch } from '../../storage/key_value.ts';
import type { RowReader } from '../../storage/rows.ts';
import {
  decodePoint,
  encodePoint,
  isSameRound,
  readSigningRound,
  type BranchPoint,
  type SigningRound,
} from '../apply/branch_point.ts';
import { HEAD_COLUMN, pointKey } from '../../state/head_record.ts';

interface Since {
  readonly since: number;
  readonly round: SigningRound;
}

/** Decoded rounds kept in memory, about 10 KiB each: reads of old blocks mostly go on to their neighbours. */
const ROUNDS_KEPT = 64;
/** For how many blocks the start of their round is remembered: blocks that become final are seldom older. */
const REMEMBERED = 1024;

/** A block of the main branch as a possible branch point, with its round. */
export interface KnownPoint extends BranchPoint {
  readonly round: SigningRound;
}

/**
 * Keeps the signing rounds behind each block of the main branch that can still be followed. The records are on disk, so
 * that a header on top of any of them is judged with one or two reads, also after a restart.
 */
export class BranchPoints {
  readonly #store: KeyValueReader;
  readonly #rounds = new Map<number, SigningRound>();
  /** The round of the head, once known. */
  #current: Since | undefined;
  /** The first block of the rounds of the most recently noted blocks; the latest may not be on disk yet. */
  readonly #sinces = new Map<number, number>();

  constructor(store: KeyValueReader) {
    this.#store = store;
  }

  /** The branch point of the main branch's block of that number. */
  at(number: number): KnownPoint | undefined {
    const found = this.#find(number);
    return found === undefined ? undefined : { ...found, round: this.#readRound(found.since) };
  }

  /** Returns whether everything needed about the block of that number is present; for checks of the disk. */
  has(number: number): boolean {
    const found = this.#find(number);
    return found !== undefined && this.#find(found.since)?.round !== undefined;
  }

  /** Records the head that these rows describe, which follows the one recorded before. */
  note(batch: WriteBatch, rows: RowReader): void {
    const { head_block_number } = rows.only(dynamicGlobalProperties);
    const before = this.#current ?? (head_block_number === 0 ? undefined : this.at(head_block_number - 1));
    this.#put(batch, rows, before);
  }

  /** Records a head before which nothing is known. */
  begin(batch: WriteBatch, rows: RowReader): void {
    this.#sinces.clear();
    this.#put(batch, rows, undefined);
  }

  /** The records in the store are those of an earlier time again. */
  forgetMemory(): void {
    this.#current = undefined;
    this.#rounds.clear();
    this.#sinces.clear();
  }

  /** The head is undone. */
  takeBack(batch: WriteBatch, number: number): void {
    batch.delete(HEAD_COLUMN, pointKey(number));
    this.#rounds.delete(number);
    this.#sinces.delete(number);
    this.#current = undefined;
  }

  /** Deletes all records of blocks from `first` to `last`. */
  clear(batch: WriteBatch, first: number, last: number): void {
    const since = this.#startOfPoint(first);
    this.#delete(batch, since);
    for (let number = first; number <= last; number++) this.#delete(batch, number);
  }

  /** Blocks from `first` up to the one before `next` can no longer be followed. */
  forget(batch: WriteBatch, first: number, next: number): void {
    const since = this.#startOfPoint(next);
    const before = this.#startOfPoint(first);
    // The record of a round outlives its block as long as the round lasts.
    if (before !== since) this.#delete(batch, before);
    for (let number = first; number < next; number++) if (number !== since) this.#delete(batch, number);
  }

  #put(batch: WriteBatch, rows: RowReader, before: Since | undefined): void {
    const { head_block_number: number, head_block_id: id, time, current_aslot } = rows.only(dynamicGlobalProperties);
    const now = readSigningRound(rows);
    const isSame = before !== undefined && isSameRound(before.round, now);
    this.#current = isSame ? { since: before.since, round: before.round } : { since: number, round: now };
    const { since } = this.#current;
    batch.put(
      HEAD_COLUMN,
      pointKey(number),
      encodePoint({ id, time, current_aslot, since, round: isSame ? undefined : now }),
    );
    this.#sinces.set(number, since);
    this.#sinces.delete(number - REMEMBERED);
  }

  #startOfPoint(number: number): number {
    return this.#sinces.get(number) ?? present(this.#find(number), `the branch point of block ${number}`).since;
  }

  #readRound(number: number): SigningRound {
    const known = this.#rounds.get(number);
    if (known !== undefined) return known;
    const round = present(this.#find(number)?.round, `the round since block ${number}`);
    if (this.#rounds.size === ROUNDS_KEPT) this.#rounds.clear();
    this.#rounds.set(number, round);
    return round;
  }

  #find(number: number): BranchPoint | undefined {
    const bytes = this.#store.get(HEAD_COLUMN, pointKey(number));
    return bytes === undefined ? undefined : decodePoint(bytes);
  }

  #delete(batch: WriteBatch, number: number): void {
    batch.delete(HEAD_COLUMN, pointKey(number));
    this.#rounds.delete(number);
  }
}
