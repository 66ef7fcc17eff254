import { writeJson } from '../codec/json_writer.ts';
import type { Notation } from '../codec/notation.ts';
import { concernedBy, type HistoryEntry } from '../queries/history_entry.ts';
import { timeText, type Seconds } from '../values/time.ts';
import type { EventForm } from './event_form.ts';
import type { BlockHead, OperationRecord } from './event_schema.ts';

/** How blocks become messages. */
export interface MessageRules {
  readonly form: EventForm;
  readonly notation: Notation;
  /** Whether each operation has a message of its own as well. */
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
export const MOST_PAYLOAD_BYTES = 510 * 1024;
const HEAD_BYTES = 1024;
/** Of one record. In any form a unit takes three bytes at most, because JSON has no bare control characters. */
const MOST_VALUE_UNITS = 100_000;

/** The messages of a block in order: a part of it, that part's operations, the next part. The same operations in other chunks give the same messages. */
export function* blockMessages(
  head: BlockHead,
  chunks: Iterable<readonly HistoryEntry[]>,
  { form, notation, withOperations }: MessageRules,
): Generator<BlockMessage> {
  const records = new OperationRecords(notation);
  let part = 0;
  let [pieces, kinds, bytes]: [Uint8Array[], string[], number] = [[], [], HEAD_BYTES];
  function* full(isLast: boolean): Generator<BlockMessage> {
    const payload = form.part({ ...head, part: part++, is_last_part: isLast }, pieces);
    const own = withOperations ? pieces : [];
    yield { event: 'block', payload, isEnd: isLast && own.length === 0 };
    for (const [k, piece] of own.entries()) {
      const isEnd = isLast && k === own.length - 1;
      yield { event: 'operation', kind: kinds[k] ?? '', payload: form.operationEvent(head, piece), isEnd };
    }
  }
  for (const chunk of chunks) {
    for (const entry of chunk) {
      for (const { record, isWhole } of records.of(entry)) {
        const piece = form.operation(record, isWhole);
        if (bytes + piece.length + 1 > MOST_PAYLOAD_BYTES) {
          yield* full(false);
          [pieces, kinds, bytes] = [[], [], HEAD_BYTES];
        }
        pieces.push(piece);
        kinds.push(record.kind);
        bytes += piece.length + 1;
      }
    }
  }
  yield* full(true);
}

/** Makes records of operations. Most of a block happened at the same time. */
class OperationRecords {
  readonly #notation: Notation;
  #time: Seconds = -1;
  #timeText = '';

  constructor(notation: Notation) {
    this.#notation = notation;
  }

  /** One, unless the value is too long. */
  of(entry: HistoryEntry): readonly { readonly record: OperationRecord; readonly isWhole: boolean }[] {
    const value = writeJson(entry.op.bodyToJson(this.#notation));
    if (value.length <= MOST_VALUE_UNITS) return [{ record: this.#record(entry, value, false), isWhole: true }];
    const values = piecesOf(value);
    return values.map((piece, k) => ({ record: this.#record(entry, piece, k < values.length - 1), isWhole: false }));
  }

  // Member by member: spreading a part of it costs as much as all the rest.
  #record(entry: HistoryEntry, value: string, continued: boolean): OperationRecord {
    const { trx_id, trx_in_block, op_in_trx, virtual_op, op, fee_payer } = entry;
    const timestamp = this.#textOf(entry.timestamp);
    const accounts = [...concernedBy(entry)];
    return { trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, kind: op.kind.name, fee_payer, accounts, value, continued };
  }

  #textOf(time: Seconds): string {
    if (time !== this.#time) [this.#time, this.#timeText] = [time, timeText(time)];
    return this.#timeText;
  }
}

/** Never between the two halves of a character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const isInside = /[\ud800-\udbff]/.test(text.charAt(at + MOST_VALUE_UNITS - 1));
    const end = at + MOST_VALUE_UNITS - (isInside ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
