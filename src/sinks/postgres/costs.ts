import { accountCreate } from '../../operations/account_create.ts';
import { bodyOf, type Operation } from '../../operations/operation.ts';
import { nameFromSeed } from '../../values/account_name.ts';
import { parseAnsweredAsset } from '../../values/asset.ts';
import type { SourceChain, SourceOperation } from '../chain_source.ts';

/** What an operation costs, in units of the smallest coin. */
export interface Cost {
  /** Empty for what the chain does itself. */
  readonly payer: string;
  /** Undefined where there is no fee, and where nobody can say what it was in COIN. */
  readonly paid: bigint | undefined;
  /** The account that it creates, which gets what its creator pays beyond the price of an account. */
  readonly receiver?: string;
  /** Undefined where nobody can say it. */
  readonly given?: bigint | undefined;
  /** The fee stands there, and nothing is taken. */
  readonly isFree: boolean;
}

/** Fees in COIN stand in the operation. Prices, and what an account costs, are known to the state of their time alone, so the source has to tell. */
export function costOf({ fee_payer, charge }: SourceOperation, operation: Operation, chain: SourceChain): Cost {
  const { fee } = operation;
  if (fee_payer === '' || fee === undefined) return { payer: fee_payer, paid: undefined, isFree: true };
  const offered = fee.symbol === chain.coinSymbol ? fee.amount : undefined;
  const paid = charge === undefined ? offered : parseAnsweredAsset(charge.paid)?.amount;
  const created = bodyOf(accountCreate, operation);
  if (created === undefined) return { payer: fee_payer, paid, isFree: chain.isPrivateNet };
  // Sponsors don't pay for accounts. In a private net these cost nothing, and all that is offered goes to them.
  const rest = chain.isPrivateNet ? paid : undefined;
  const given = charge === undefined ? rest : parseAnsweredAsset(charge.given)?.amount;
  return { payer: created.creator, paid, receiver: nameFromSeed(created.name_seed), given, isFree: false };
}
