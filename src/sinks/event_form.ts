import { assert } from '../base/assert.ts';
import {
  eventType,
  pieceTypes,
  type BlockHead,
  type IrreversibleRecord,
  type OperationRecord,
  type UndoRecord,
} from './event_schema.ts';

/** The head of a block's part. */
export interface PartHead extends BlockHead {
  readonly part: number;
  readonly is_last_part: boolean;
}

/** Events that are a record of their own. */
export type SmallEvent = { readonly Undo: UndoRecord } | { readonly Irreversible: IrreversibleRecord };

/** The form of events. Operations are written one by one, so that a part of a block is full exactly when it is. */
export interface EventForm {
  readonly name: 'avro' | 'json';
  readonly contentType: string;
  /** The bytes between the operations of a part. */
  readonly separator: Uint8Array;
  /**
   * Writes an operation there, the end of what it has written. `isWhole` unless the record has a piece of a longer
   * value only.
   */
  writeOperation(operation: OperationRecord, isWhole: boolean, into: Buffer, at: number): number;
  /** So many operations, with separators between them. */
  part(head: PartHead, count: number, operations: Uint8Array): Uint8Array;
  operationEvent(block: Pick<BlockHead, 'number' | 'id'>, operation: Uint8Array): Uint8Array;
  event(event: SmallEvent): Uint8Array;
}

/** Which record of the union follows. */
const branches = { block: Uint8Array.of(0), operationEvent: Uint8Array.of(6) };
const END_OF_ARRAY = Uint8Array.of(0);

/** Avro without a header: the schema is known by its fingerprint. */
const avro: EventForm = {
  name: 'avro',
  contentType: 'avro/binary',
  separator: new Uint8Array(0),
  writeOperation: (operation, _isWhole, into, at) => {
    const end = pieceTypes.operation.encode(operation, into, at);
    assert(end > at, 'an operation fits into the room');
    return end;
  },
  part: (head, count, operations) => {
    const items = count === 0 ? [] : [encodeCount(count), operations];
    return Buffer.concat([branches.block, pieceTypes.part.toBuffer(head), ...items, END_OF_ARRAY]);
  },
  operationEvent: ({ number, id }, operation) =>
    Buffer.concat([branches.operationEvent, pieceTypes.operationHead.toBuffer({ number, id }), operation]),
  event: (event) => eventType.toBuffer(event),
};

const MOST_ITEMS = 2 ** 30;

/** Avro's long: zigzag, then seven bits a byte. */
function encodeCount(count: number): Uint8Array {
  assert(count < MOST_ITEMS, 'a count of operations');
  const bytes: number[] = [];
  let rest = count * 2;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

/** In UTF-8. */
const MOST_BYTES_A_UNIT = 3;

/** The same members as JSON, but that a whole value is the object itself. */
const json: EventForm = {
  name: 'json',
  contentType: 'application/json',
  separator: Buffer.from(','),
  writeOperation: ({ value, ...others }, isWhole, into, at) => {
    const text = `${JSON.stringify(others).slice(0, -1)},"value":${isWhole ? value : JSON.stringify(value)}}`;
    assert(at + text.length * MOST_BYTES_A_UNIT <= into.length, 'an operation fits into the room');
    return at + into.write(text, at);
  },
  part: (head, _count, operations) => {
    const start = Buffer.from(`{"Block":${JSON.stringify(head).slice(0, -1)},"operations":[`);
    return Buffer.concat([start, operations, Buffer.from(']}}')]);
  },
  operationEvent: ({ number, id }, operation) =>
    Buffer.concat([
      Buffer.from(`{"OperationEvent":{"number":${number},"id":"${id}","operation":`),
      operation,
      Buffer.from('}}'),
    ]),
  event: (event) => Buffer.from(JSON.stringify(event)),
};

/** The forms in which a stream can be written, by name. */
export const eventForms = { avro, json } as const;
