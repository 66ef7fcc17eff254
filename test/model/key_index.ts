import { pairKey, type State } from './state.ts';
import { NULL_KEY } from './values.ts';

// chain_rules.md#key-index: which accounts name a key in their owner or active authority.

/** The keys that an account has now; the null key is nobody's, so by the newer rules nobody looks it up. */
export function presentKeys(state: State, name: string): readonly string[] {
  const account = state.accounts.get(name);
  const keys = account === undefined ? [] : [...account.owner.keys, ...account.active.keys].map(([key]) => key);
  return [...new Set(keys)].filter((key) => key !== NULL_KEY || !state.rules.keyIndexIsComplete);
}

/** Adds the keys that are new and removes those that are gone, since the account had the keys `before`. */
export function indexNewKeys(state: State, name: string, before: readonly string[]): void {
  const now = new Set(presentKeys(state, name));
  for (const key of now) if (!before.includes(key)) state.keyIndex.add(pairKey(key, name));
  for (const key of before) if (!now.has(key)) state.keyIndex.delete(pairKey(key, name));
}
