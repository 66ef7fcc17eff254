/** An authority, as a node shows it. */
export interface ShownAuthority {
  readonly weight_threshold: number;
  readonly account_auths: readonly (readonly [name: string, weight: number])[];
  readonly key_auths: readonly (readonly [key: string, weight: number])[];
}

/** The weight that signers reach in an authority, and the members that it comes from. */
export interface ReachedWeight {
  readonly threshold: number;
  readonly weight: number;
  readonly isSatisfied: boolean;
  readonly members: readonly CountedMember[];
  /** Keys that have not signed, and accounts that are not satisfied or too deep. */
  readonly uncounted: readonly UncountedMember[];
}

export type UncountedMember =
  | { readonly key: string; readonly weight: number }
  | { readonly account: string; readonly weight: number };

/** A key that has signed, or an account whose active authority is satisfied as `by` says. */
export type CountedMember =
  | { readonly key: string; readonly weight: number }
  | { readonly account: string; readonly weight: number; readonly by: ReachedWeight };

/** The chain looks into accounts of an authority, and into accounts of those. */
const MOST_DEPTH = 2;

/** Counts the weight of the keys that have signed. An account that `actives` lacks does not count. */
export function reachedWeight(
  { weight_threshold: threshold, account_auths: accounts, key_auths: keys }: ShownAuthority,
  signed: ReadonlySet<string>,
  actives: ReadonlyMap<string, ShownAuthority>,
  depth = 0,
): ReachedWeight {
  const members: CountedMember[] = keys.filter(([key]) => signed.has(key)).map(([key, weight]) => ({ key, weight }));
  const uncounted: UncountedMember[] = keys
    .filter(([key]) => !signed.has(key))
    .map(([key, weight]) => ({ key, weight }));
  for (const [account, weight] of accounts) {
    const active = depth < MOST_DEPTH ? actives.get(account) : undefined;
    const by = active && reachedWeight(active, signed, actives, depth + 1);
    if (by?.isSatisfied === true) members.push({ account, weight, by });
    else uncounted.push({ account, weight });
  }
  const weight = members.reduce((sum, each) => sum + each.weight, 0);
  return { threshold, weight, isSatisfied: weight >= threshold, members, uncounted };
}
