import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { MOST_ACCEPTED_VISITS } from '../blocks/authority_walk.ts';
import { authorityWarnings, type ActiveAuthorities } from '../blocks/authority_warnings.ts';
import type { Operation, SetAuthority } from '../operations/operation.ts';
import { fetchActives } from './authorities.ts';
import { warnBeforeSigning } from './consent.ts';
import type { Wallet } from './wallet.ts';

/** Stands for accounts that the wallet can't look up: only what is wrong with the authority itself is warned of. */
const anybody: ActiveAuthorities = () => ({ weight_threshold: 0, account_auths: [], key_auths: [] });

/**
 * Shows the person the authorities that operations set and that nothing can satisfy, that go in a circle, or that ask
 * for nothing, by the wallet's own walk. Asks before signing where that is possible.
 */
export async function warnOfAuthorities(
  wallet: Wallet,
  operations: readonly Operation[],
  isOffline = false,
): Promise<void> {
  const text = await warningText(wallet, operations, isOffline);
  if (text !== '') await warnBeforeSigning(wallet, text);
}

/** The same for a transaction that others sign: nothing is asked. */
export async function tellOfAuthorities(wallet: Wallet, operations: readonly Operation[]): Promise<void> {
  const text = await warningText(wallet, operations, false);
  if (text !== '') wallet.person?.tell(text);
}

async function warningText(wallet: Wallet, operations: readonly Operation[], isOffline: boolean): Promise<string> {
  const set = operations.flatMap((operation) => operation.setAuthorities());
  if (set.length === 0) return '';
  const actives = isOffline ? anybody : await activesAtHand(wallet, set);
  return authorityWarnings(operations, actives, MOST_ACCEPTED_VISITS)
    .map(({ text }) => `warning: ${text}`)
    .join('\n');
}

async function activesAtHand(wallet: Wallet, set: readonly SetAuthority[]): Promise<ActiveAuthorities> {
  try {
    return await fetchActives(wallet, set);
  } catch (error) {
    if (error instanceof Refusal || error instanceof Fault) return anybody;
    throw error;
  }
}
