import { refusals } from '../base/refusal.ts';
import { accountCreate } from '../operations/account_create.ts';
import { operationCodec } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import type { AccountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { keyAuthority } from '../values/authority.ts';
import type { PublicKey } from '../values/public_key.ts';
import { inputEncoding, outputEncoding, chainSymbols, type Wallet } from './wallet.ts';

const refuse = refusals({
  creation_fee_symbol: 'the node asks for a creation fee in {symbol}, and this chain has {coin}',
});

/** The refusals of making an account. */
export const creationRefusals = refuse.texts;

/** An account to be created. */
export interface NewAccount {
  readonly creator: AccountName;
  readonly name_seed: string;
  readonly json_meta: string;
  readonly owner_key: PublicKey;
  readonly active_key: PublicKey;
  readonly memo_key: PublicKey;
}

/** The operation that creates an account, with the fee that the node returns for it. */
export async function makeCreation(
  wallet: Wallet,
  { creator, name_seed, json_meta, owner_key, active_key, memo_key }: NewAccount,
): Promise<Operation> {
  const symbols = await chainSymbols(wallet);
  const authorities = { owner: keyAuthority(owner_key), active: keyAuthority(active_key) };
  const noFee = { amount: 0n, symbol: symbols.coinSymbol };
  const creation = accountCreate.of({
    fee: noFee,
    creator,
    name_seed,
    ...authorities,
    memo_key,
    json_metadata: json_meta,
  });
  const op = operationCodec.toJson(creation, outputEncoding(symbols));
  const fee = asset.fromJson(
    await wallet.node.ask('calculate_fee', { op, symbol: symbols.coinSymbol }, 'fee'),
    inputEncoding(symbols),
  );
  if (fee.symbol !== symbols.coinSymbol) refuse.creation_fee_symbol({ symbol: fee.symbol, coin: symbols.coinSymbol });
  return creation.withFee(fee);
}
