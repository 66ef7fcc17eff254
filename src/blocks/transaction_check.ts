import type { Refusal } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Asset } from '../values/asset.ts';
import type { SignatureGaps } from './signature_gaps.ts';

/** The fee of one operation. */
export interface OperationFee {
  readonly payer: AccountName;
  /** The least that has to be offered: in the symbol that the operation offers, or in COIN where fees can't be paid in that. */
  readonly required: Asset;
  /** What would be taken from the payer, in COIN; undefined for a transaction that would be refused even if it were signed. */
  readonly charged: Asset | undefined;
}

/** How much of one symbol an account would have, before and after a transaction. */
export interface BalanceChange {
  readonly account: AccountName;
  readonly before: Asset;
  readonly after: Asset;
}

/** What a transaction would do if it were sent now; nothing of it is kept. */
export interface TransactionCheck extends SignatureGaps {
  /** Of each operation, in order. */
  readonly fees: readonly OperationFee[];
  /** What it would be refused for; undefined when it would be accepted. */
  readonly refusal: Refusal | undefined;
  /** The same with exactly the signatures that it needs. */
  readonly refusalWhenSigned: Refusal | undefined;
  /** Liquid coins and vesting shares; none for a transaction that would be refused even if it were signed. */
  readonly balances: readonly BalanceChange[];
}
