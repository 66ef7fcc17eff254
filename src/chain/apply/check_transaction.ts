import { catchRefusal, unlessRefused, type Refusal } from '../../base/refusal.ts';
import { requiredAuthorities } from '../../blocks/authority_check.ts';
import { authorityWarnings } from '../../blocks/authority_warnings.ts';
import { signatureGaps, type SignatureGaps } from '../../blocks/signature_gaps.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { BalanceChange, OperationFee, TransactionCheck } from '../../blocks/transaction_check.ts';
import type { Operation } from '../../operations/operation.ts';
import { chargedFee, feePayer, operationCost } from '../../state/fees.ts';
import { coins } from '../../state/parameters.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { accountAuthorities } from '../../state/tables/account_authority.ts';
import type { AccountName } from '../../values/account_name.ts';
import { applyTransaction, lookUpAuthorities, type Placement, type Trial } from './apply_transaction.ts';
import type { WorkingState } from './working_state.ts';

/** The place at which a transaction is tried, and its refusal, if it already has one. */
interface Trying extends Pick<Placement, 'block' | 'index'> {
  readonly refusal: Refusal | undefined;
  /** Runs the checks that come behind all those of applying it. */
  readonly finish: () => void;
}

/**
 * Finds the effects of a transaction. It is applied once; where its signatures are refused, as if it had those that it
 * needs. The rows are left changed: the caller discards the session that it has opened for that.
 */
export function checkTransaction(
  state: WorkingState,
  verified: VerifiedTransaction,
  { refusal, finish, ...place }: Trying,
): TransactionCheck {
  const { missing, superfluous } = findSignatureGaps(state, verified);
  const trial = new NotedTrial();
  const whenSigned =
    refusal ?? catchRefusal(() => tryTransaction(state, verified, { ...place, isTrusted: false, trial }, finish));
  const isApplied = whenSigned === undefined;
  return {
    missing,
    superfluous,
    fees: verified.transaction.operations.map((operation, k) =>
      computeFee(state, operation, trial.payers[k], isApplied),
    ),
    refusal: refusal ?? trial.ofSignatures ?? whenSigned,
    refusalWhenSigned: whenSigned,
    balances: isApplied ? balanceChanges(state) : [],
    warnings: authorityWarnings(
      verified.transaction.operations,
      (name) => state.rows.get(accountAuthorities, name)?.active,
      lookUpAuthorities(state).mostVisits,
    ),
  };
}

function tryTransaction(
  state: WorkingState,
  verified: VerifiedTransaction,
  placement: Placement,
  finish: () => void,
): void {
  applyTransaction(state, verified, placement);
  finish();
}

class NotedTrial implements Trial {
  ofSignatures: Refusal | undefined;
  readonly payers: AccountName[] = [];

  signaturesRefused(refusal: Refusal): void {
    this.ofSignatures = refusal;
  }

  askedForFee(payer: AccountName): void {
    this.payers.push(payer);
  }
}

/** None where looking at the authorities is refused: then the transaction is refused for that. */
function findSignatureGaps(state: WorkingState, { transaction, signers }: VerifiedTransaction): SignatureGaps {
  const keys = signers.filter((key) => key !== undefined);
  const gaps = unlessRefused(() => {
    const required = requiredAuthorities(transaction.operations, state.parameters.rules);
    return signatureGaps(lookUpAuthorities(state), required, keys);
  });
  return gaps ?? { missing: [], superfluous: [] };
}

/** `payer` is who was asked; undefined for an operation that was not reached. */
function computeFee(
  state: WorkingState,
  operation: Operation,
  payer: AccountName | undefined,
  isApplied: boolean,
): OperationFee {
  const { fee = coins(state.parameters, 0n) } = operation;
  const [rule, account] = [operation.feeRule(), operation.feeAccount()];
  return {
    // An operation with a charge of its own takes it from its own account, also where another account sponsors the
    // fees.
    payer: rule === 'own' ? account : (payer ?? feePayer(state, account, rule, fee)),
    required: operationCost(state, rule, fee.symbol),
    charged: isApplied ? chargedFee(state, rule, fee) : undefined,
  };
}

function balanceChanges(state: WorkingState): BalanceChange[] {
  const { coinSymbol, vestsSymbol } = state.parameters;
  const rows = state.rows.transactionChanges(accounts);
  return [
    ...rows.flatMap((change) => balanceChange(change, coinSymbol, ({ balance }) => balance)),
    ...rows.flatMap((change) => balanceChange(change, vestsSymbol, ({ vesting_shares }) => vesting_shares)),
  ];
}

interface ChangedAccount {
  readonly before: Account | undefined;
  readonly after: Account | undefined;
}

function balanceChange(
  { before, after }: ChangedAccount,
  symbol: string,
  amountOf: (row: Account) => bigint,
): BalanceChange[] {
  const [account, had, has] = [before?.name ?? after?.name, before && amountOf(before), after && amountOf(after)];
  if (account === undefined || (had ?? 0n) === (has ?? 0n)) return [];
  return [{ account, before: { amount: had ?? 0n, symbol }, after: { amount: has ?? 0n, symbol } }];
}
