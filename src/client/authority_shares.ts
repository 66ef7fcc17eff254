import type { ShownAuthority } from './authority_weights.ts';

/** A member of an authority, and its part of the picture in percent of its width. */
export interface AuthorityShare {
  /** A key or the name of an account. */
  readonly name: string;
  readonly isKey: boolean;
  readonly weight: number;
  readonly from: number;
  readonly width: number;
}

/** An authority as it is drawn: its members side by side, and the place of its threshold. */
export interface AuthorityShares {
  readonly shares: readonly AuthorityShare[];
  readonly thresholdAt: number;
  readonly total: number;
}

/** Between two members, in percent. */
const GAP = 0.6;
const WHOLE = 100;

/** Lays an authority out, the heaviest member first. */
export function authorityShares({
  weight_threshold: threshold,
  account_auths: accounts,
  key_auths: keys,
}: ShownAuthority): AuthorityShares {
  const members = [
    ...keys.map(([name, weight]) => ({ name, weight, isKey: true })),
    ...accounts.map(([name, weight]) => ({ name, weight, isKey: false })),
  ].toSorted((a, b) => b.weight - a.weight);
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const scale = WHOLE / Math.max(total, threshold, 1);
  let before = 0;
  const shares = members.map(({ name, weight, isKey }) => {
    const from = before * scale;
    before += weight;
    return { name, weight, isKey, from, width: Math.max(0, weight * scale - GAP) };
  });
  return { shares, thresholdAt: Math.min(threshold * scale, WHOLE), total };
}
