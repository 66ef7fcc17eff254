import type { Refusal } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Asset } from '../values/asset.ts';
import type { AuthorityWarning } from './authority_warnings.ts';
import type { SignatureGaps } from './signature_gaps.ts';

/** The fee of one operation. */
export interface OperationFee {
  readonly payer: AccountName;
  /**
   * The least that has to be offered: in the symbol that the operation offers, or in COIN where fees can't be paid in
   * that.
   */
  readonly required: Asset;
  /** The charge to the payer, in COIN; undefined for a transaction that would be refused even if it were signed. */
  readonly charged: Asset | undefined;
}

/** The balance of an account in one symbol, before and after a transaction. */
export interface BalanceChange {
  readonly account: AccountName;
  readonly before: Asset;
  readonly after: Asset;
}

/** The effects of a transaction if it were sent now; nothing of it is kept. */
export interface TransactionCheck extends SignatureGaps {
  /** Of each operation, in order. */
  readonly fees: readonly OperationFee[];
  /** The refusal that sending it would meet; undefined when it would be accepted. */
  readonly refusal: Refusal | undefined;
  /** The same with exactly the signatures that it needs. */
  readonly refusalWhenSigned: Refusal | undefined;
  /** Liquid coins and vesting shares; none for a transaction that would be refused even if it were signed. */
  readonly balances: readonly BalanceChange[];
  /** Authorities that it sets and that nothing can satisfy, that go in a circle, or that ask for nothing. */
  readonly warnings: readonly AuthorityWarning[];
}
