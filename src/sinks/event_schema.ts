import avsc, { type Schema, type Type } from 'avsc';
import type { AccountName } from '../values/account_name.ts';
import type { BlockId, TransactionId } from '../values/hash.ts';

/**
 * An operation of a block, the chain's own included, as it leaves the node. Where it is in the block is said as
 * histories of accounts say it.
 */
export interface OperationRecord {
  /** 40 zeros for what the chain does itself. */
  readonly trx_id: TransactionId;
  readonly trx_in_block: number;
  readonly op_in_trx: number;
  readonly virtual_op: number;
  readonly timestamp: string;
  readonly kind: string;
  readonly fee_payer: AccountName;
  /** In whose history it is. */
  readonly accounts: readonly AccountName[];
  /** The body as JSON; a piece of it where `continued` says so, or did of the record before. */
  readonly value: string;
  /** The next record has the rest of the value. */
  readonly continued: boolean;
  /** In COIN, where it doesn't follow from the body, and is known. */
  readonly paid?: string;
  readonly given?: string;
}

/** The facts of the whole block, which each of its parts repeats. */
export interface BlockHead {
  readonly number: number;
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly timestamp: string;
  readonly witness: AccountName;
  readonly missed_slots: number;
  readonly transaction_count: number;
}

/** A block, or a part of one. */
export interface BlockRecord extends BlockHead {
  readonly part: number;
  readonly is_last_part: boolean;
  readonly operations: readonly OperationRecord[];
}

/** One operation for those who filter by kind. */
export interface OperationEvent {
  readonly number: number;
  readonly id: BlockId;
  readonly operation: OperationRecord;
}

/** The head of the chain was taken back. */
export interface UndoRecord {
  readonly number: number;
  readonly id: BlockId;
  readonly previous: BlockId;
}

/** Blocks became irreversible. */
export interface IrreversibleRecord {
  readonly number: number;
  readonly id: BlockId;
}

/** An event: which of the four it is, and what it says. */
export interface EventRecord {
  readonly Block?: BlockRecord;
  readonly Undo?: UndoRecord;
  readonly Irreversible?: IrreversibleRecord;
  readonly OperationEvent?: OperationEvent;
}

const operation = {
  type: 'record',
  name: 'Operation',
  doc: 'An operation, or one of the chain’s own (virtual_op above 0). Its place is unique in its block.',
  fields: [
    { name: 'trx_id', type: 'string', doc: 'of its transaction; 40 zeros for what the chain does itself' },
    {
      name: 'trx_in_block',
      type: 'long',
      doc: 'number of the transaction in the block, from 0; 4294967295 outside transactions',
    },
    { name: 'op_in_trx', type: 'int', doc: 'number of the operation in the transaction, from 0' },
    { name: 'virtual_op', type: 'long', doc: '0, or the number of what the chain did itself there, from 1' },
    { name: 'timestamp', type: 'string', doc: 'YYYY-MM-DDTHH:MM:SS in UTC: the time of the head when it happened' },
    { name: 'kind', type: 'string', doc: 'such as transfer' },
    {
      name: 'fee_payer',
      type: 'string',
      doc: 'who paid the fee: the account itself or its sponsor; empty for what the chain does itself',
    },
    { name: 'accounts', type: { type: 'array', items: 'string' }, doc: 'in whose history it is, the payer’s included' },
    { name: 'value', type: 'string', doc: 'the body as JSON, as the API shows it' },
    {
      name: 'continued',
      type: 'boolean',
      doc: 'the value is too long for one record: the next one has the same place and the rest of it',
    },
    {
      name: 'paid',
      type: 'string',
      default: '',
      doc: 'what it took from its payer, where its fee is in another symbol or it pays for a new account; empty elsewhere, and where the node does not know it',
    },
    { name: 'given', type: 'string', default: '', doc: 'of that to the new account' },
  ],
} as const satisfies Schema;

const headFields = [
  { name: 'number', type: 'long' },
  { name: 'id', type: 'string' },
  { name: 'previous', type: 'string', doc: 'id of the block before it' },
  { name: 'timestamp', type: 'string', doc: 'YYYY-MM-DDTHH:MM:SS in UTC' },
  { name: 'witness', type: 'string' },
  { name: 'missed_slots', type: 'long', doc: 'slots without a block between the one before and this one' },
  { name: 'transaction_count', type: 'long', doc: 'in all parts' },
  { name: 'part', type: 'int', doc: 'number of this part, from 0' },
  { name: 'is_last_part', type: 'boolean', doc: 'whether the block is complete with this part' },
] as const;

const block = {
  type: 'record',
  name: 'Block',
  doc: 'A block, or a part of one: a message has 512 KiB at most. Parts follow each other in order.',
  fields: [
    ...headFields,
    { name: 'operations', type: { type: 'array', items: operation }, doc: 'in the order of the chain' },
  ],
} as const satisfies Schema;

const undo = {
  type: 'record',
  name: 'Undo',
  doc: 'The last block is taken back, even if not all of its parts have come; the one before it is the last one now.',
  fields: [
    { name: 'number', type: 'long' },
    { name: 'id', type: 'string' },
    { name: 'previous', type: 'string' },
  ],
} as const satisfies Schema;

const irreversible = {
  type: 'record',
  name: 'Irreversible',
  doc: 'No block up to this one will be undone.',
  fields: [
    { name: 'number', type: 'long' },
    { name: 'id', type: 'string' },
  ],
} as const satisfies Schema;

const operationEvent = {
  type: 'record',
  name: 'OperationEvent',
  doc: 'One operation of a block, again, under a subject of its kind.',
  fields: [
    { name: 'number', type: 'long', doc: 'of its block' },
    { name: 'id', type: 'string', doc: 'of its block' },
    { name: 'operation', type: 'Operation' },
  ],
} as const satisfies Schema;

/** The four records, one of which each message of a stream is. */
const eventSchema: Schema = [block, undo, irreversible, operationEvent];

/** The same as a file of Avro. */
export const schemaText = `${JSON.stringify(eventSchema, null, 2)}\n`;

/** The same as a type. */
export const eventType: Type = avsc.Type.forSchema(eventSchema);

/** Types of the pieces of which messages are put together, so that each operation is encoded once. */
export const pieceTypes = {
  part: avsc.Type.forSchema({ type: 'record', name: 'Part', fields: [...headFields] }),
  operation: avsc.Type.forSchema(operation),
  operationHead: avsc.Type.forSchema({
    type: 'record',
    name: 'OperationHead',
    fields: [
      { name: 'number', type: 'long' },
      { name: 'id', type: 'string' },
    ],
  }),
};

/** Members that came later than the first schema; older nodes wrote streams without them. */
const LATER = new Set<string>(['paid', 'given']);
const firstOperation = { ...operation, fields: operation.fields.filter(({ name }) => !LATER.has(name)) };
const firstType: Type = avsc.Type.forSchema([
  { ...block, fields: [...headFields, { name: 'operations', type: { type: 'array', items: firstOperation } }] },
  ...[undo, irreversible, operationEvent],
]);

/** SHA-256 of the schema in Avro's canonical form: equal wherever the records are. */
export const schemaFingerprint = computeFingerprint(eventType);

function computeFingerprint(type: Type): string {
  return type.fingerprint('sha256').toString('hex');
}

const types: ReadonlyMap<string, Type> = new Map(
  [eventType, firstType].map((type) => [computeFingerprint(type), type]),
);

/** Reads records of a schema, by its fingerprint; undefined for those that nobody has written. */
export function findReader(fingerprint: string): ((bytes: Buffer) => unknown) | undefined {
  const type = types.get(fingerprint);
  return type && ((bytes) => decodeWithType(type, bytes));
}

function decodeWithType(type: Type, bytes: Buffer): unknown {
  const record: unknown = type.fromBuffer(bytes);
  return record;
}
