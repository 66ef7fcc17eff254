import { assert } from '../base/assert.ts';
import { eventType, pieceTypes, type BlockHead, type IrreversibleRecord, type OperationRecord, type UndoRecord } from './event_schema.ts';

/** What a part of a block says of itself. */
export interface PartHead extends BlockHead {
  readonly part: number;
  readonly is_last_part: boolean;
}

/** Events that are a record of their own. */
export type SmallEvent = { readonly Undo: UndoRecord } | { readonly Irreversible: IrreversibleRecord };

/** How events are written. Operations are written one by one, so that a part of a block is full exactly when it is. */
export interface EventForm {
  readonly name: 'avro' | 'json';
  readonly contentType: string;
  /** `isWhole` unless the record has a piece of a longer value only. */
  operation(operation: OperationRecord, isWhole: boolean): Uint8Array;
  part(head: PartHead, operations: readonly Uint8Array[]): Uint8Array;
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
  operation: (operation) => pieceTypes.operation.toBuffer(operation),
  part: (head, operations) => {
    const items = operations.length === 0 ? [] : [countOf(operations.length), ...operations];
    return Buffer.concat([branches.block, pieceTypes.part.toBuffer(head), ...items, END_OF_ARRAY]);
  },
  operationEvent: ({ number, id }, operation) =>
    Buffer.concat([branches.operationEvent, pieceTypes.operationHead.toBuffer({ number, id }), operation]),
  event: (event) => eventType.toBuffer(event),
};

const MOST_ITEMS = 2 ** 30;

/** Avro's long: zigzag, then seven bits a byte. */
function countOf(count: number): Uint8Array {
  assert(count < MOST_ITEMS, 'a count of operations');
  const bytes: number[] = [];
  let rest = count * 2;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

const COMMA = Buffer.from(',');

/** The same members as JSON, but that a whole value is the object itself. */
const json: EventForm = {
  name: 'json',
  contentType: 'application/json',
  operation: ({ value, ...others }, isWhole) =>
    Buffer.from(`${JSON.stringify(others).slice(0, -1)},"value":${isWhole ? value : JSON.stringify(value)}}`),
  part: (head, operations) => {
    const start = Buffer.from(`{"Block":${JSON.stringify(head).slice(0, -1)},"operations":[`);
    return Buffer.concat([start, ...operations.flatMap((item, k) => (k === 0 ? [item] : [COMMA, item])), Buffer.from(']}}')]);
  },
  operationEvent: ({ number, id }, operation) =>
    Buffer.concat([Buffer.from(`{"OperationEvent":{"number":${number},"id":"${id}","operation":`), operation, Buffer.from('}}')]),
  event: (event) => Buffer.from(JSON.stringify(event)),
};

/** The forms in which a stream can be written, by name. */
export const eventForms = { avro, json } as const;
