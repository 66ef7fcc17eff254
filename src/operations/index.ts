import { assert } from '../base/assert.ts';
import { nearby } from '../base/nearest.ts';
import { refusals } from '../base/refusal.ts';
import type { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { copying, type Codec, type CopyJson, type JsonSchema, type PlainOf } from '../codec/codec.ts';
import { describeTuple } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import { inMember, DecodeError, mismatch, shownJson } from '../codec/decode_error.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { PlainJson } from '../codec/plain_json.ts';
import { longName } from '../values/application_name.ts';
import type { ChainEvent } from '../state/chain_state.ts';
import { longUrl } from '../values/url_text.ts';
import { accountCreate } from './account_create.ts';
import { accountDelete } from './account_delete.ts';
import { accountUpdate } from './account_update.ts';
import { accountWitnessProxy } from './account_witness_proxy.ts';
import { accountWitnessVote } from './account_witness_vote.ts';
import { adminWitnessUpdate } from './admin_witness_update.ts';
import { applicationCreate } from './application_create.ts';
import { applicationDelete } from './application_delete.ts';
import { applicationUpdate } from './application_update.ts';
import { buyApplication } from './buy_application.ts';
import { cancelApplicationBuying } from './cancel_application_buying.ts';
import { changeRecoveryAccount } from './change_recovery_account.ts';
import { custom } from './custom.ts';
import { customBinary } from './custom_binary.ts';
import { customJson } from './custom_json.ts';
import { escrowApprove } from './escrow_approve.ts';
import { escrowDispute } from './escrow_dispute.ts';
import { escrowRelease } from './escrow_release.ts';
import { escrowTransfer } from './escrow_transfer.ts';
import { feedPublish } from './feed_publish.ts';
import type { Operation, OperationKind } from './operation.ts';
import { recoverAccount } from './recover_account.ts';
import { requestAccountRecovery } from './request_account_recovery.ts';
import { resetAccount } from './reset_account.ts';
import { setResetAccount } from './set_reset_account.ts';
import { sponsorFees } from './sponsor_fees.ts';
import { longMemo, transfer } from './transfer.ts';
import { transferFromPromotionPool } from './transfer_from_promotion_pool.ts';
import { transferToVesting } from './transfer_to_vesting.ts';
import { fillVestingWithdraw } from './virtual/fill_vesting_withdraw.ts';
import { hardfork } from './virtual/hardfork.ts';
import { interest } from './virtual/interest.ts';
import { producerReward } from './virtual/producer_reward.ts';
import { promotionPoolWithdraw } from './virtual/promotion_pool_withdraw.ts';
import { shutdownWitness } from './virtual/shutdown_witness.ts';
import { withdrawVesting } from './withdraw_vesting.ts';
import { witnessSetProperties } from './witness_set_properties.ts';
import { witnessStop } from './witness_stop.ts';
import { witnessUpdate } from './witness_update.ts';

const refuse = refusals({
  // Not among what is malformed: newer rules may have it.
  unknown_operation: 'no operation has the number {number}; a newer version may have one',
});

/** All operations of the protocol. Numbers are permanent: a removed kind leaves its name in its line. */
const registered = {
  0: transfer,
  1: transferToVesting,
  2: withdrawVesting,
  3: feedPublish,
  4: accountCreate,
  5: accountUpdate,
  6: accountDelete,
  7: witnessUpdate,
  8: witnessStop,
  9: accountWitnessVote,
  10: accountWitnessProxy,
  11: witnessSetProperties,
  12: custom,
  13: customJson,
  14: customBinary,
  15: requestAccountRecovery,
  16: recoverAccount,
  17: changeRecoveryAccount,
  18: escrowTransfer,
  19: escrowDispute,
  20: escrowRelease,
  21: escrowApprove,
  22: resetAccount,
  23: setResetAccount,
  24: applicationCreate,
  25: applicationUpdate,
  26: applicationDelete,
  27: buyApplication,
  28: cancelApplicationBuying,
  29: transferFromPromotionPool,
  30: sponsorFees,
  31: adminWitnessUpdate,
  // Virtual operations.
  32: interest,
  33: fillVestingWithdraw,
  34: shutdownWitness,
  35: hardfork,
  36: producerReward,
  37: promotionPoolWithdraw,
} as const satisfies Readonly<Record<number, OperationKind>>;

/** The refusals of reading an operation, checked or not: its kind limits the bytes of its texts. */
export const longTexts = { ...longMemo, ...longName, ...longUrl };

/** The kinds by their numbers. */
export const operationKinds: Readonly<Record<number, OperationKind>> = registered;

type Registered = (typeof registered)[keyof typeof registered];

/** Any operation as programs of a client see it: its name and its body, whose members belong to that name. */
export type PlainOperation = Extract<PlainOf<Registered>, readonly unknown[]>;

/** The kinds that a transaction can contain. */
export type PaidOperationName = Extract<Registered, { readonly isVirtual: false }>['name'];

const numbers = new Map<object, number>(Object.entries(operationKinds).map(([number, kind]) => [kind, Number(number)]));
const kindsByName = new Map(Object.values(operationKinds).map((kind) => [kind.name, kind]));

/** The wire number of a kind of operation. */
export function operationNumber(kind: object): number {
  const number = numbers.get(kind);
  assert(number !== undefined, 'every kind of operation is registered');
  return number;
}

/** Writes an operation or a virtual operation: the number of its kind, then its body. */
export function writeOperation(out: ByteWriter, operation: ChainEvent): void {
  out.varint(operationNumber(operation.kind));
  operation.writeBody(out);
}

const SUFFIX = '_operation';

/** The names by which params may call a kind: its own, and the same with the suffix `_operation`. */
export function givenNames({ name }: OperationKind): readonly string[] {
  return [name, name + SUFFIX];
}

/** The kind with that name, with or without the suffix `_operation`. */
export function operationKindNamed(name: string): OperationKind | undefined {
  return kindsByName.get(name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name);
}

/**
 * Any operation: the number of its kind, then its body. In JSON `[name, body]` or `{type, value}`, depending on the
 * notation; both are accepted, the name with or without its suffix, and in the pair the number in place of the name.
 */
export const operationCodec: Codec<Operation, PlainOperation> = {
  write: writeOperation,
  read(input: ByteReader) {
    const number = input.varint();
    const kind = operationKinds[number] ?? refuse.unknown_operation({ number });
    return kind.readBody(input);
  },
  toJson(operation, encoding) {
    const body = operation.bodyToJson(encoding);
    return encoding.operationForm === 'pair'
      ? [operation.kind.name, body]
      : { type: operation.kind.name + SUFFIX, value: body };
  },
  fromJson: copying(
    (json, encoding) => (Array.isArray(json) ? fromPair(json, encoding) : fromTyped(json, encoding)),
    (from, out, encoding) => (from.openArray() ? copyPair(from, out, encoding) : copyTyped(from, out, encoding)),
  ),
  initial: (encoding) => transfer.initial(encoding),
  describe: (encoding) => ({ anyOf: Object.values(operationKinds).flatMap((kind) => describeKind(kind, encoding)) }),
};

function fromPair(json: readonly Json[], encoding: EncodingOptions): Operation {
  const [name, body] = json;
  if (name === undefined || body === undefined || json.length !== 2)
    throw new DecodeError(`an operation as [name, body] expected, got an array of ${json.length}`);
  const kind = inMember(0, () => findKind(name));
  return inMember(1, () => kind.bodyFromJson(body, encoding));
}

/** Copies `[name, body]` behind its bracket. */
function copyPair(from: PlainJson, out: ByteWriter, encoding: EncodingOptions): boolean {
  if (!from.element() || !from.text()) return false;
  const copy = copyNumber(from.lastText(), out);
  return copy !== undefined && from.element() && copy(from, out, encoding) && from.closeArray();
}

const TYPE = Buffer.from('"type"');
const VALUE = Buffer.from('"value"');

/** Copies `{type, value}` in this order. */
function copyTyped(from: PlainJson, out: ByteWriter, encoding: EncodingOptions): boolean {
  if (!from.openObject() || !from.member(TYPE) || !from.text()) return false;
  const copy = copyNumber(from.lastText(), out);
  return copy !== undefined && from.member(VALUE) && copy(from, out, encoding) && from.closeObject();
}

/** Writes the number of a kind and returns what copies its body; undefined where there is no such kind. */
function copyNumber(name: string, out: ByteWriter): CopyJson | undefined {
  const kind = operationKindNamed(name);
  const copy = kind?.bodyFromJson.copy;
  if (kind !== undefined && copy !== undefined) out.varint(operationNumber(kind));
  return copy;
}

function fromTyped(json: Json, encoding: EncodingOptions): Operation {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return mismatch('an operation as [name, body] or {type, value}', json);
  const { type, value } = json;
  if (typeof type !== 'string' || value === undefined) return mismatch('an operation as {type, value}', json);
  const kind = inMember('type', () => findKind(type));
  return inMember('value', () => kind.bodyFromJson(value, encoding));
}

function findKind(name: Json): OperationKind {
  const kind =
    typeof name === 'string' ? operationKindNamed(name) : typeof name === 'number' ? operationKinds[name] : undefined;
  return kind ?? refuseKind(name);
}

function refuseKind(name: Json): never {
  const near = typeof name === 'string' ? nearby(name, operationNames()) : undefined;
  throw new DecodeError(
    `there is no operation ${shownJson(name)}; ${near === undefined ? `there are ${operationNames().join(', ')}` : `did you mean ${near}?`}`,
  );
}

/** The names of the operations that a transaction can contain. */
function operationNames(): string[] {
  return Object.values(operationKinds)
    .filter(({ isVirtual }) => !isVirtual)
    .map((kind) => kind.name);
}

/** The forms of an operation of one kind: a pair, and whatever else is read. */
function describeKind(kind: OperationKind, encoding: EncodingOptions): JsonSchema[] {
  const body = kind.describe(encoding);
  if (encoding.describesGiven !== true) return [describeTuple({ const: kind.name }, body)];
  const names = givenNames(kind);
  return [
    describeTuple({ enum: [...names, operationNumber(kind)] }, body),
    { type: 'object', properties: { type: { enum: names }, value: body }, required: ['type', 'value'] },
  ];
}
