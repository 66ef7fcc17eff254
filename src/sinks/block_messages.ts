import { present } from '../base/assert.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { concernedAccounts, type ChargedEntry } from '../queries/history_entry.ts';
import type { AccountName } from '../values/account_name.ts';
import { assetText } from '../values/asset.ts';
import { timeText, type Seconds } from '../values/time.ts';
import type { EventForm } from './event_form.ts';
import type { BlockHead, OperationRecord } from './event_schema.ts';

/** The rules by which blocks become messages. */
export interface MessageRules {
  readonly form: EventForm;
  readonly encoding: EncodingOptions;
  /** True when each operation has a message of its own as well. */
  readonly withOperations: boolean;
}

/** One of the messages of a block. */
export interface BlockMessage {
  readonly event: 'block' | 'operation';
  readonly kind?: string;
  readonly payload: Uint8Array;
  readonly isEnd: boolean;
}

/** Of a message, with room for its headers: brokers take 1 MiB by default, and some are set to less. */
const MOST_PAYLOAD_BYTES = 510 * 1024;
const HEAD_BYTES = 1024;
/** Of one record. In any form a unit takes three bytes at most, because JSON has no bare control characters. */
const MOST_VALUE_UNITS = 100_000;
/** A full part, and a record that did not fit into it any more. */
const ROOM_BYTES = 2 * 1024 * 1024;

/** Makes the messages of blocks, one block after another. */
export class BlockMessages {
  readonly #rules: MessageRules;
  readonly #pieces: Pieces;

  constructor(rules: MessageRules) {
    this.#rules = rules;
    this.#pieces = new Pieces(rules.form);
  }

  /**
   * Those of a block in order: a part of it, that part's operations, the next part. The same operations in other chunks
   * give the same messages.
   */
  *of(head: BlockHead, chunks: Iterable<readonly ChargedEntry[]>): Generator<BlockMessage> {
    const records = new OperationRecords(this.#rules.encoding);
    const pieces = this.#pieces;
    pieces.clear();
    let part = 0;
    for (const chunk of chunks) {
      for (const entry of chunk) {
        for (const { record, isWhole } of records.of(entry)) {
          if (pieces.add(record, isWhole)) continue;
          yield* this.#full(head, part++, false);
          pieces.drop();
        }
      }
    }
    yield* this.#full(head, part, true);
  }

  *#full(head: BlockHead, part: number, isLast: boolean): Generator<BlockMessage> {
    const { form, withOperations } = this.#rules;
    const { count, bytes } = this.#pieces;
    const own = withOperations ? count : 0;
    yield {
      event: 'block',
      payload: form.part({ ...head, part, is_last_part: isLast }, count, bytes),
      isEnd: isLast && own === 0,
    };
    for (let k = 0; k < own; k++) {
      const { kind, bytes: piece } = this.#pieces.at(k);
      yield { event: 'operation', kind, payload: form.operationEvent(head, piece), isEnd: isLast && k === own - 1 };
    }
  }
}

/**
 * The operations of a part, as they are written: side by side, because an object for each costs as much as writing it.
 */
class Pieces {
  readonly #form: EventForm;
  readonly #room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  #kinds: string[] = [];
  /** The start of each operation; the last written one may not be one of them yet. */
  #starts: number[] = [0];
  #next: { readonly kind: string; readonly end: number } | undefined;

  constructor(form: EventForm) {
    this.#form = form;
  }

  get count(): number {
    return this.#kinds.length;
  }

  /** All of them, with what stands between them. */
  get bytes(): Uint8Array {
    return this.#room.subarray(0, Math.max(0, this.#end - this.#form.separator.length));
  }

  at(index: number): { readonly kind: string; readonly bytes: Uint8Array } {
    const end = present(this.#starts[index + 1], 'its end') - this.#form.separator.length;
    return { kind: present(this.#kinds[index], 'its kind'), bytes: this.#room.subarray(this.#starts[index], end) };
  }

  /** False where it does not fit: `drop` makes room for it. */
  add(record: OperationRecord, isWhole: boolean): boolean {
    const start = this.#end;
    const end = this.#form.writeOperation(record, isWhole, this.#room, start);
    if (HEAD_BYTES + end > MOST_PAYLOAD_BYTES) {
      this.#next = { kind: record.kind, end };
      return false;
    }
    this.#take(record.kind, end);
    return true;
  }

  /** Drops all but what did not fit. */
  drop(): void {
    const start = this.#end;
    const { kind, end } = present(this.#next, 'one that did not fit');
    this.clear();
    this.#room.copyWithin(0, start, end);
    this.#take(kind, end - start);
  }

  clear(): void {
    [this.#kinds, this.#starts, this.#next] = [[], [0], undefined];
  }

  get #end(): number {
    return present(this.#starts[this.count], 'an end');
  }

  #take(kind: string, end: number): void {
    const { separator } = this.#form;
    this.#room.set(separator, end);
    this.#kinds.push(kind);
    this.#starts.push(end + separator.length);
  }
}

/** Makes records of operations. Most of a block happened at the same time. */
class OperationRecords {
  readonly #encoding: EncodingOptions;
  #time: Seconds = -1;
  #timeText = '';

  constructor(encoding: EncodingOptions) {
    this.#encoding = encoding;
  }

  /** One, unless the value is too long. */
  of(entry: ChargedEntry): readonly { readonly record: OperationRecord; readonly isWhole: boolean }[] {
    const value = writeJson(entry.op.bodyToJson(this.#encoding));
    if (value.length <= MOST_VALUE_UNITS) return [{ record: this.#record(entry, value, false), isWhole: true }];
    const values = splitPieces(value);
    return values.map((piece, k) => ({ record: this.#record(entry, piece, k < values.length - 1), isWhole: false }));
  }

  // Member by member: spreading a part of it costs as much as all the rest.
  #record(entry: ChargedEntry, value: string, continued: boolean): OperationRecord {
    const { trx_id, trx_in_block, op_in_trx, virtual_op, op, fee_payer } = entry;
    const timestamp = this.#timestamp(entry.timestamp);
    const accounts = chargedAccounts(entry);
    const record = {
      trx_id,
      trx_in_block,
      op_in_trx,
      virtual_op,
      timestamp,
      kind: op.kind.name,
      fee_payer,
      accounts,
      value,
      continued,
    };
    return entry.charge === undefined ? record : { ...record, ...this.#chargeFields(entry.charge) };
  }

  #chargeFields({ paid, given }: NonNullable<ChargedEntry['charge']>): Pick<OperationRecord, 'paid' | 'given'> {
    const { coinSymbol: symbol } = this.#encoding;
    return { paid: assetText({ amount: paid, symbol }), given: assetText({ amount: given, symbol }) };
  }

  #timestamp(time: Seconds): string {
    if (time !== this.#time) [this.#time, this.#timeText] = [time, timeText(time)];
    return this.#timeText;
  }
}

/** Most have one or two. */
function chargedAccounts(entry: ChargedEntry): readonly AccountName[] {
  const { op, fee_payer } = entry;
  const impacted = op.impacted();
  const [first] = impacted;
  if (impacted.length === 1 && first !== undefined)
    return fee_payer === '' || fee_payer === first ? [first] : [first, fee_payer];
  return [...concernedAccounts(entry)];
}

/** Never between the two halves of a character. */
function splitPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const isInside = /[\ud800-\udbff]/.test(text.charAt(at + MOST_VALUE_UNITS - 1));
    const end = at + MOST_VALUE_UNITS - (isInside ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
