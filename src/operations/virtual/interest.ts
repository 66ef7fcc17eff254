import { struct } from '../../codec/struct.ts';
import type { ChainState } from '../../state/chain_state.ts';
import { creditOwedShares, creditOwedSharesAtTurn } from '../../state/dilution_protection.ts';
import { vests } from '../../state/parameters.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { virtualOperation } from '../virtual_operation.ts';

/** COIN paid to an account for its holdings, or VESTS that protect its vesting shares against dilution. */
export const interest = virtualOperation({
  name: 'interest',
  doc: 'COIN that an account was paid for what it held, or VESTS that protect its vesting shares against dilution.',
  fields: struct({ owner: accountName, interest: asset }),
  impacts: (body) => [body.owner],
});

/** Issues the vesting shares that protection owes to an account, before its vesting shares change. */
export function payOwedShares(state: ChainState, owner: AccountName): void {
  emitShares(state, owner, creditOwedShares(state, owner));
}

/** The same at the account's turn for interest. */
export function payOwedSharesAtTurn(state: ChainState, owner: AccountName): void {
  emitShares(state, owner, creditOwedSharesAtTurn(state, owner));
}

function emitShares(state: ChainState, owner: AccountName, issued: bigint): void {
  if (issued > 0n) state.emit(interest.of({ owner, interest: vests(state.parameters, issued) }));
}
