import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { vector } from '../../codec/collections.ts';
import type { KeyValueReader, WriteBatch } from '../../storage/key_value.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { publicKey, type PublicKey } from '../../values/public_key.ts';
import {
  changedKeysKey,
  changedKeysRange,
  HEAD_COLUMN,
  keyChangeKey,
  keyChangeRange,
} from '../../state/head_record.ts';

/** A witness whose signing key a block changed, and the previous key; the null key where there was no witness. */
export interface KeyChange {
  readonly witness: AccountName;
  readonly before: PublicKey;
}

const names = vector(accountName);
const scratch = new ByteWriter(256);
const RECORDS_PER_STEP = 100; // blocks that change a key are few

/**
 * The signing keys of witnesses as of earlier blocks of the main branch, as long as those can be followed. Very few
 * blocks change one, at the cost of two small records.
 */
export class KeyChanges {
  readonly #store: KeyValueReader;
  /** The first block that has a record; undefined while that is not known. */
  #first: number | undefined;

  constructor(store: KeyValueReader) {
    this.#store = store;
  }

  /** The key of the witness as of that block; undefined when no later block has changed it. */
  previousKey(number: number, witness: AccountName): PublicKey | undefined {
    const [next] = this.#store.range(HEAD_COLUMN, { ...keyChangeRange(witness, number + 1), limit: 1 });
    return next === undefined ? undefined : publicKey.read(new ByteReader(next.value));
  }

  /** The witnesses whose key that block changed. */
  changedWitnesses(number: number): readonly AccountName[] {
    const bytes = this.#store.get(HEAD_COLUMN, changedKeysKey(number));
    return bytes === undefined ? [] : names.read(new ByteReader(bytes));
  }

  note(batch: WriteBatch, number: number, changes: readonly KeyChange[]): void {
    if (changes.length === 0) return;
    for (const { witness, before } of changes)
      batch.put(HEAD_COLUMN, keyChangeKey(witness, number), encodeValue(publicKey, before));
    const changed = changes.map(({ witness }) => witness);
    batch.put(HEAD_COLUMN, changedKeysKey(number), encodeValue(names, changed));
    if (this.#first !== undefined) this.#first = Math.min(this.#first, number);
  }

  /** The records in the store are those of an earlier time again. */
  forgetMemory(): void {
    this.#first = undefined;
  }

  /** That block is undone. */
  takeBack(batch: WriteBatch, number: number): void {
    this.#delete(batch, number, this.changedWitnesses(number));
  }

  /** Blocks before this one can no longer be followed. */
  forget(batch: WriteBatch, next: number): void {
    this.#first ??= this.#records(0, Infinity, 1)[0]?.number ?? Infinity;
    if (this.#first > next) return;
    for (const { number, changed } of this.#records(this.#first, next, RECORDS_PER_STEP))
      this.#delete(batch, number, changed);
    this.#first = undefined;
  }

  #records(
    first: number,
    last: number,
    limit: number,
  ): { readonly number: number; readonly changed: readonly AccountName[] }[] {
    const range = changedKeysRange(first, Math.min(last, 0xffff_ffff));
    return this.#store.range(HEAD_COLUMN, { ...range, limit }).map(({ key, value }) => ({
      number: Buffer.from(key).readUInt32BE(key.length - 4),
      changed: names.read(new ByteReader(value)),
    }));
  }

  #delete(batch: WriteBatch, number: number, changed: readonly AccountName[]): void {
    if (changed.length === 0) return;
    for (const witness of changed) batch.delete(HEAD_COLUMN, keyChangeKey(witness, number));
    batch.delete(HEAD_COLUMN, changedKeysKey(number));
  }
}

function encodeValue<T>(codec: { write(out: ByteWriter, value: T): void }, value: T): Uint8Array {
  scratch.reset();
  codec.write(scratch, value);
  return scratch.finish();
}
