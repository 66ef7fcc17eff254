import { catchRefusal, refusals, type Refusal } from '../../base/refusal.ts';
import {
  checkAuthorities,
  requiredAuthorities,
  transactionSigning,
  type Required,
} from '../../blocks/authority_check.ts';
import { MOST_ACCEPTED_VISITS, type AuthorityLookup } from '../../blocks/authority_walk.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { ByteWriter } from '../../codec/bytes.ts';
import { writeOperation } from '../../operations/index.ts';
import { requireValid, type Operation } from '../../operations/operation.ts';
import { noteActivity } from '../../state/activity.ts';
import { authorityLookup } from '../../state/authorities.ts';
import { getBlockId } from '../../state/block_ids.ts';
import { headProperties } from '../../state/chain_state.ts';
import type { ConsequenceLimits } from '../../state/consequences.ts';
import { chargeFee, feePayer, untoldCharge, type FeeRule } from '../../state/fees.ts';
import { hardforkRules, currentRule } from '../../state/rules/index.ts';
import { operationCharges } from '../../state/tables/operation_charge.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import { finishVotes } from '../../state/votes.ts';
import type { Asset } from '../../values/asset.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { BlockId } from '../../values/hash.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../../values/limits.ts';
import { timeText } from '../../values/time.ts';
import { countFreeUse } from './bandwidth.ts';
import { requireNothingLost } from './null_account.ts';
import { canonicalRule, requireSigners } from '../../blocks/signature_form.ts';
import type { WorkingState } from './working_state.ts';

const PREFIX_AT = 4;

const refuse = refusals({
  no_operations: {
    text: 'the transaction has no operation; give it one at least',
    lineage: 'A transaction must have at least one operation',
  },
  duplicate_transaction: {
    text: 'transaction {id} was sent before; to do the same once more, give the next one another expiration',
    lineage: 'Duplicate transaction check failed',
  },
  transaction_expired: {
    text: 'the transaction expired at {expiration}, and it is {head_time} on the chain; sign it again with a later expiration',
    lineageCode: 4_030_100,
  },
  expiration_too_far: {
    text: 'the transaction expires at {expiration}, more than {most} seconds after {head_time}, which it is on the chain; choose {latest} or earlier',
    lineageCode: 4_030_100,
  },
  unknown_reference_block: {
    text: 'no recent block of this chain is the one that ref_block_num {ref_block_num} and ref_block_prefix {ref_block_prefix} name; take both from the head block, which is {head_block}',
    lineageCode: 4_030_200,
  },
});

/** The place of a transaction, and the assumptions for applying it. */
export interface Placement {
  /** The number of the open block, and the index in it. */
  readonly block: number;
  readonly index: number;
  /** Signatures and duplicates were checked when this program first applied the transaction. */
  readonly isTrusted: boolean;
  /** Its signers are unknown, and are not checked. */
  readonly isUnverified?: boolean;
  /** Set to find out what the transaction would do; the caller discards it. */
  readonly trial?: Trial;
}

/** Notes what is decided about a transaction that is only tried. */
export interface Trial {
  /** Its signatures are refused, which doesn't end a trial. */
  signaturesRefused(refusal: Refusal): void;
  /** The account is the payer of the next operation. */
  askedForFee(payer: AccountName): void;
}

/**
 * Applies a transaction on top of the rows: every check of chain_rules.md#applying-a-transaction in order. A refusal
 * leaves the rows partly changed.
 */
export function applyTransaction(state: WorkingState, verified: VerifiedTransaction, placement: Placement): void {
  const { operations } = verified.transaction;
  validate(state, operations);
  if (!placement.isTrusted) refuseDuplicate(state, verified);
  const required = requiredAuthorities(operations, state.parameters.rules);
  if (!placement.isTrusted && placement.isUnverified !== true)
    judgeSignatures(state, verified, required, placement.trial);
  checkReference(state, verified);
  checkExpiration(state, verified);
  state.consequences.begin(effectiveLimits(state));
  state.rows.append(transactionLocations, { id: verified.id, block: placement.block, index: placement.index });
  state.journal.enterTransaction(placement.index);
  const use = applyOperations(state, operations, required, placement);
  if (use.operations > 0)
    countFreeUse(state, requiredNames(required), { bytes: BigInt(use.bytes), operations: BigInt(use.operations) });
  finishVotes(state);
  for (const name of requiredNames(required)) noteActivity(state, name);
  requireNothingLost(state);
}

/** Refuses a transaction for its form or its time, which no transaction before it could cure. */
export function requireFormAndTime(state: WorkingState, verified: VerifiedTransaction): void {
  validate(state, verified.transaction.operations);
  requireSigners(canonicalRule(state.rows, state.parameters), verified);
  checkReference(state, verified);
  checkExpiration(state, verified);
}

/** Refuses a transaction that has not the signatures it needs, or more. */
export function requireSigned(state: WorkingState, verified: VerifiedTransaction): void {
  const { operations } = verified.transaction;
  checkSignatures(state, verified, requiredAuthorities(operations, state.parameters.rules));
}

function validate(state: WorkingState, operations: readonly Operation[]): void {
  if (operations.length === 0) refuse.no_operations();
  requireValid(state, operations);
}

/**
 * The id covers the expiration, so a block can only repeat a transaction that has not expired. A client hears of a
 * duplicate later, too: "expired" would be wrong of a transaction that a block holds.
 */
function refuseDuplicate(state: WorkingState, { id, transaction }: VerifiedTransaction): void {
  if (state.rows.get(transactionLocations, id) === undefined) return;
  const { head_block_number, time } = headProperties(state);
  if (state.isAccepting || head_block_number === 0 || time <= transaction.expiration)
    refuse.duplicate_transaction({ id });
}

function judgeSignatures(
  state: WorkingState,
  verified: VerifiedTransaction,
  required: Required,
  trial: Trial | undefined,
): void {
  if (trial === undefined) return checkSignatures(state, verified, required);
  const refusal = catchRefusal(() => checkSignatures(state, verified, required));
  if (refusal !== undefined) trial.signaturesRefused(refusal);
}

function checkSignatures(state: WorkingState, verified: VerifiedTransaction, required: Required): void {
  const keys = requireSigners(canonicalRule(state.rows, state.parameters), verified);
  checkAuthorities(lookUpAuthorities(state), required, keys, () =>
    transactionSigning(state.parameters, verified, keys),
  );
}

/** The authorities that signatures are judged by. */
export function lookUpAuthorities(state: WorkingState): AuthorityLookup {
  return authorityLookup(state.rows, mostVisits(state), state.parameters.impersonator);
}

/**
 * The chain's rule limits what a block may contain; for transactions that it accepts itself, a node may set a lower
 * limit.
 */
function mostVisits({ parameters: { rules }, isAccepting }: WorkingState): number {
  return isAccepting ? Math.min(rules.authority_visits, MOST_ACCEPTED_VISITS) : rules.authority_visits;
}

/**
 * The consequences of a transaction are limited where the rules say so, and always for transactions that a node accepts
 * itself.
 */
function effectiveLimits({ parameters, isAccepting, consequenceLimits }: WorkingState): ConsequenceLimits | undefined {
  return isAccepting || parameters.rules.bounded_consequences ? consequenceLimits : undefined;
}

/** The block that the transaction refers to must be in this branch of the chain. */
function checkReference(state: WorkingState, { transaction }: VerifiedTransaction): void {
  if (headProperties(state).head_block_number === 0) return;
  const { ref_block_num, ref_block_prefix } = transaction;
  if (referencePrefix(getBlockId(state.rows, ref_block_num)) !== ref_block_prefix)
    refuse.unknown_reference_block({
      ref_block_num,
      ref_block_prefix,
      head_block: headProperties(state).head_block_id,
    });
}

/** Cached because transactions of a block refer to the same few blocks. */
let lastPrefix = { id: '', prefix: 0 };

/** Bytes 4 to 7 of the id, little-endian. */
function referencePrefix(id: BlockId): number {
  if (lastPrefix.id !== id) lastPrefix = { id, prefix: Buffer.from(id, 'hex').readUInt32LE(PREFIX_AT) };
  return lastPrefix.prefix;
}

function checkExpiration(state: WorkingState, { id, transaction: { expiration } }: VerifiedTransaction): void {
  const { head_block_number, time } = headProperties(state);
  if (head_block_number === 0) return;
  const most = MAX_SECONDS_UNTIL_EXPIRATION;
  if (expiration > time + most) {
    const latest = timeText(time + most);
    refuse.expiration_too_far({ expiration: timeText(expiration), head_time: timeText(time), most, latest });
  }
  if (time >= expiration)
    refuse.transaction_expired({ expiration: timeText(expiration), head_time: timeText(time), id });
}

interface FreeCount {
  bytes: number;
  operations: number;
}

const scratch = new ByteWriter(1024);

function applyOperations(
  state: WorkingState,
  operations: readonly Operation[],
  required: Required,
  placement: Placement,
): FreeCount {
  const limitsFreeUse = currentRule(state.rows, state.parameters.ruleSet, hardforkRules.bounded_free_use);
  const use = { bytes: 0, operations: 0 };
  for (const [index, operation] of operations.entries()) {
    const { fee } = operation;
    const feeAccount = operation.feeAccount();
    const rule = operation.feeRule();
    const payer = feePayer(state, feeAccount, rule, fee);
    placement.trial?.askedForFee(payer);
    state.journal.noteOperation(index, operation.impacted(), feeAccount, payer);
    if (fee !== undefined) chargeFee(state, { rule, offered: fee, payer, hasConsent: () => isNamed(required, payer) });
    operation.apply(state);
    if (fee !== undefined) noteCharge(state, placement, index, rule, fee);
    if (limitsFreeUse && fee?.amount === 0n) {
      use.bytes += packedSize(operation);
      use.operations++;
    }
  }
  return use;
}

function noteCharge(
  state: WorkingState,
  { block, index }: Placement,
  op_in_trx: number,
  rule: FeeRule,
  fee: Asset,
): void {
  const charge = untoldCharge(state, rule, fee);
  if (charge !== undefined) state.rows.append(operationCharges, { block, trx_in_block: index, op_in_trx, ...charge });
}

function packedSize(operation: Operation): number {
  scratch.reset();
  writeOperation(scratch, operation);
  return scratch.length;
}

function isNamed({ active, owner }: Required, name: AccountName): boolean {
  return active.includes(name) || owner.includes(name);
}

function requiredNames({ active, owner }: Required): Iterable<AccountName> {
  return owner.length === 0 ? active : new Set([...active, ...owner]);
}
