import type { State } from './state.ts';
import type { Authority } from './values.ts';

/** A new owner authority; the old one enters the account's history. */
export function changeOwner(state: State, name: string, owner: Authority): void {
  const id = state.nextId('ownerHistory');
  const lastValid = state.headTime;
  state.ownerHistories.set(id, { id, account: name, authority: state.account(name).owner, lastValid });
  state.changeAccount(name, { owner, lastOwnerUpdate: lastValid });
}
