import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { readJsonText } from '../codec/json_reader.ts';
import type { BlockId } from '../values/hash.ts';
import type { SourceBlock, SourceOperation } from './chain_source.ts';
import type { BlockRecord, EventRecord, OperationRecord } from './event_schema.ts';
import { UnreadableRecord } from './unreadable_record.ts';

/** An event of a stream, once it is complete. */
export type StreamEvent =
  | { readonly block: SourceBlock }
  /** All blocks above this one are taken back. */
  | { readonly undone: { readonly number: number; readonly id: BlockId } }
  | { readonly irreversible: { readonly number: number; readonly id: BlockId } };

interface OpenBlock {
  readonly head: BlockRecord;
  readonly operations: SourceOperation[];
  /** Of the operation whose value goes on. */
  pieces: string;
  nextPart: number;
}

/** Puts blocks together from the messages of a stream, in either form. */
export class StreamBlocks {
  #open: OpenBlock | undefined;
  /** A stream that keeps a limited number of messages may begin in the middle of a block. */
  #hasBegun = false;

  /**
   * Returns the event that this message completes. Fault where a part is missing, UnreadableRecord where an operation
   * can't be read.
   */
  take({ Block: block, Undo: undo, Irreversible: irreversible }: EventRecord): StreamEvent | undefined {
    if (block !== undefined) return this.#takePart(block);
    if (undo !== undefined) {
      const isOpen = this.#open?.head.id === undo.id;
      this.#open = undefined;
      return isOpen ? undefined : { undone: { number: undo.number - 1, id: undo.previous } };
    }
    return irreversible && { irreversible };
  }

  #takePart(block: BlockRecord): StreamEvent | undefined {
    if (block.part === 0) {
      this.#open = { head: block, operations: [], pieces: '', nextPart: 0 };
      this.#hasBegun = true;
    }
    const open = this.#open;
    if (open === undefined && !this.#hasBegun) return undefined;
    if (open === undefined || open.head.id !== block.id || open.nextPart !== block.part)
      throw new Fault('damaged_data', `the stream lacks a part of block ${block.number} before part ${block.part}`);
    open.nextPart++;
    for (const record of block.operations) addOperation(open, record);
    if (!block.is_last_part) return undefined;
    this.#open = undefined;
    const { number, id, previous, timestamp, witness, transaction_count } = block;
    return { block: { number, id, previous, timestamp, witness, transaction_count, operations: open.operations } };
  }
}

function addOperation(open: OpenBlock, record: OperationRecord): void {
  const value = recordValue(record);
  if (typeof value === 'string') open.pieces += value;
  if (record.continued) return;
  const { trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, kind, fee_payer } = record;
  const told =
    typeof value === 'string' ? { body: operationBody(open, record), bodyText: open.pieces } : { body: value };
  const { paid = '', given = '' } = record;
  const charge = paid === '' ? {} : { charge: { paid, given } };
  open.operations.push({ trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, kind, fee_payer, ...told, ...charge });
  open.pieces = '';
}

function operationBody(
  { head, operations, pieces }: OpenBlock,
  { trx_in_block, op_in_trx, kind }: OperationRecord,
): Json {
  try {
    return readJsonText(pieces);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const place = {
      block: head.number,
      transaction: trx_in_block,
      operation: op_in_trx,
      op_in_block: operations.length,
      kind,
    };
    throw new UnreadableRecord({ ...place, member: 'value' }, error.message, error);
  }
}

/** In messages of JSON a whole value is the object itself. */
function recordValue(record: OperationRecord): Json;
function recordValue({ value }: OperationRecord): unknown {
  return value;
}
