import { checkAuthorities, type Needed } from './authorities.ts';
import { countBandwidth } from './bandwidth.ts';
import type { Body } from './body.ts';
import { chargeFee, feePayer } from './fees.ts';
import { isVirtual, recordOperation } from './history.ts';
import { operationRules } from './operations/index.ts';
import type { OperationRules } from './operations/operation.ts';
import { refuse, require } from './refusal.ts';
import type { State } from './state.ts';

const LONGEST_SECONDS = 3600;
const SUMMARIES = 65_536;

export interface ModelOperation {
  readonly kind: string;
  readonly body: Body;
  /** With its number, packed. */
  readonly packedBytes: number;
}

export interface ModelTransaction {
  readonly id: string;
  /** With its signatures, packed. */
  readonly packedBytes: number;
  readonly refBlockNumber: number;
  readonly refBlockPrefix: number;
  readonly expiration: number;
  readonly operations: readonly ModelOperation[];
  /** The key behind each signature. */
  readonly signers: readonly (string | undefined)[];
}

/** 5.2: what a block may hold and nobody may send. */
export function checkSize(state: State, { packedBytes }: ModelTransaction): void {
  require(packedBytes <= state.parameters.maxTransactionSize, 'Transaction size is bigger than the maximum');
}

/** chain_rules.md#applying-a-transaction, on a state that is thrown away when it fails. */
export function applyTransaction(state: State, transaction: ModelTransaction): void {
  require(transaction.operations.length > 0, 'A transaction must have at least one operation');
  for (const { kind, body } of transaction.operations) findRules(kind).validate?.(body, state.parameters);
  require(!state.transactions.has(transaction.id), 'Duplicate transaction check failed');
  const needed = neededAuthorities(state, transaction);
  checkAuthorities(state, needed, transaction.signers);
  if (state.globals.number > 0) {
    require(referencePrefix(state, transaction.refBlockNumber) === transaction.refBlockPrefix, 'reference block');
    require(transaction.expiration <= state.headTime + LONGEST_SECONDS &&
      state.headTime < transaction.expiration, 'expiration');
  }
  state.transactions.set(transaction.id, transaction.expiration);
  markActivity(state, needed);
  applyOperations(state, transaction, new Set([...needed.active, ...needed.owner]));
  requireEmptyNone(state);
}

function findRules(kind: string): OperationRules {
  if (isVirtual(kind)) refuse('This is a virtual operation');
  const rules = operationRules[kind];
  if (rules === undefined) throw new RangeError(kind);
  return rules;
}

function neededAuthorities(state: State, { operations }: ModelTransaction): Needed {
  const required = operations.map(({ kind, body }) => findRules(kind).authorities(body, state.rules));
  return {
    active: new Set(required.flatMap(({ active = [] }) => active)),
    owner: new Set(required.flatMap(({ owner = [] }) => owner)),
    other: required.flatMap(({ other = [] }) => other),
  };
}

/** Bytes 4 to 7 of the id of the block in that slot, little-endian; 0 while none was written. */
function referencePrefix(state: State, refBlockNumber: number): number {
  const id = state.blockIds.get(refBlockNumber % SUMMARIES);
  return id === undefined ? 0 : Buffer.from(id, 'hex').readUInt32LE(4);
}

function markActivity(state: State, { active, owner }: Needed): void {
  for (const name of new Set([...active, ...owner])) state.changeAccount(name, { lastActivity: state.headTime });
}

function applyOperations(state: State, { operations }: ModelTransaction, signers: ReadonlySet<string>): void {
  state.single.place = { ...state.single.place, virtual: 0 };
  const free = { bytes: 0, operations: 0 };
  for (const [index, { kind, body, packedBytes }] of operations.entries()) {
    const rules = findRules(kind);
    state.single.place = { ...state.single.place, operation: index };
    const payer = feePayer(state, rules, body);
    recordOperation(state, kind, [...impactedAccounts(state, rules, body), payer]);
    if (payer !== rules.feeAccount(body))
      state.payments.push({ transaction: state.single.place.transaction, operation: index, payer });
    chargeFee(state, rules, body, payer, signers);
    require(!(
      rules.isPublicOnly === true && state.parameters.isPrivate
    ), 'This operation is not available in private nets');
    rules.apply(body, state);
    if (!state.hasHardfork(2) || body.asset('fee').amount !== 0n) continue;
    free.bytes += packedBytes;
    free.operations++;
  }
  if (free.operations > 0) countBandwidth(state, signers, free);
}

function impactedAccounts(state: State, rules: OperationRules, body: Body): readonly string[] {
  if (rules.impacts !== undefined) return rules.impacts(body);
  const { active = [], owner = [] } = rules.authorities(body, state.rules);
  return [...active, ...owner];
}

/** Under the lineage's rules every block that leaves coins on `none` is refused, so a transaction that does so is. */
function requireEmptyNone(state: State): void {
  if (state.rules.noneBurns || state.parameters.isPrivate) return;
  const { balance, vesting } = state.account('none');
  require(balance <= 0n && vesting <= 0n, 'coins on none');
}
