import { byTimeThenName, dueNow, isForgotten, applyRecoveryAccount } from './due.ts';
import type { State } from './state.ts';

/** chain_rules.md#recovery: requests expire, former owners are forgotten, recovery accounts change. */
export function processRecovery(state: State): void {
  const requests = [...state.requests.values()]
    .filter(({ expires }) => expires <= state.headTime)
    .sort(
      byTimeThenName(
        ({ expires }) => expires,
        ({ account }) => account,
      ),
    );
  for (const { account } of dueNow(state, requests)) state.requests.delete(account);
  const histories = [...state.ownerHistories.values()]
    .filter((entry) => isForgotten(state, entry))
    .sort((a, b) => a.id - b.id);
  for (const { id } of dueNow(state, histories)) state.ownerHistories.delete(id);
  const changes = [...state.recoveryChanges.values()]
    .filter(({ effectiveOn }) => effectiveOn <= state.headTime)
    .sort(
      byTimeThenName(
        ({ effectiveOn }) => effectiveOn,
        ({ account }) => account,
      ),
    );
  for (const { account } of dueNow(state, changes)) applyRecoveryAccount(state, account);
}
