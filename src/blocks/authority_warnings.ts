import { quoted, unlessRefused } from '../base/refusal.ts';
import type { SetAuthority } from '../operations/operation.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { TEMP_ACCOUNT } from '../values/reserved_accounts.ts';
import { MAX_SIGNATURE_CHECK_DEPTH } from '../values/limits.ts';
import { AuthorityWalk } from './authority_walk.ts';

/** The reasons for a warning about an authority. */
export type AuthorityProblem =
  | 'open'
  | 'empty'
  | 'weights_too_small'
  | 'unknown_account'
  | 'circle'
  | 'too_deep'
  | 'too_many_accounts'
  | 'unusable_members';

/** An authority that a transaction sets and that does not do what its sender wants. */
export interface AuthorityWarning {
  readonly account: AccountName;
  readonly role: SetAuthority['role'];
  readonly problem: AuthorityProblem;
  /** True if no set of signatures satisfies it. */
  readonly isImpossible: boolean;
  /** The accounts on the way to the problem, the last one last. */
  readonly path: readonly AccountName[];
  readonly text: string;
}

/** The active authorities that there are; undefined for an account that does not exist. */
export type ActiveAuthorities = (name: AccountName) => Authority | undefined;

/** The members that are compared while the way to a problem is looked for; a person reads a shorter one. */
const MOST_STEPS = 10_000;

/** Stands for the authority of an account that does not exist or is deleted. */
const NOBODY: Authority = { weight_threshold: 1, account_auths: [], key_auths: [] };

/**
 * Warns of authorities that nothing can satisfy, that go in a circle, or that ask for nothing. Judged as the chain
 * judges signatures, as if every key had signed, and with the other authorities that the same transaction sets.
 * `mostVisits` is the number of accounts that one check may look at.
 */
export function authorityWarnings(
  operations: readonly { setAuthorities(): readonly SetAuthority[] }[],
  activeOf: ActiveAuthorities,
  mostVisits: number,
): AuthorityWarning[] {
  const set = operations.flatMap((operation) => operation.setAuthorities());
  const actives = new Map(
    set.flatMap(({ account, role, authority }) => (role === 'active' ? [[account, authority]] : [])),
  );
  const created = new Set(set.map(({ account }) => account));
  const lookup: ActiveAuthorities = (name) =>
    actives.get(name) ?? activeOf(name) ?? (created.has(name) ? NOBODY : undefined);
  return set.flatMap((each) => findWarning(each, lookup, mostVisits) ?? []);
}

function findWarning(set: SetAuthority, activeOf: ActiveAuthorities, mostVisits: number): AuthorityWarning | undefined {
  const { account, role, authority } = set;
  if (authority.weight_threshold === 0) return warning(set, { problem: 'open', path: [] }, false);
  const own = ownProblem(authority);
  if (own !== undefined) return warning(set, { problem: own, path: [] }, true);
  const isPossible = unlessRefused(() => walkWithEveryKey(set, activeOf, mostVisits).satisfiesOwner(account));
  // With fewer keys a check looks at these accounts as well, and at others.
  if (isPossible === undefined) return warning(set, { problem: 'too_many_accounts', path: [], mostVisits }, true);
  const found = new ProblemSearch(activeOf).findProblem(authority, role === 'active' ? [account] : []);
  if (isPossible) return found?.problem === 'circle' ? warning(set, found, false) : undefined;
  return warning(set, found ?? { problem: 'unusable_members', path: [] }, true);
}

/** A walk with every key at hand, on which any owner authority is the one that is set: no account within names one. */
function walkWithEveryKey({ authority }: SetAuthority, activeOf: ActiveAuthorities, mostVisits: number): AuthorityWalk {
  const active = (name: AccountName): Authority => activeOf(name) ?? NOBODY;
  return new AuthorityWalk({ active, owner: () => authority, mostVisits }, () => true);
}

interface FoundProblem {
  readonly problem: AuthorityProblem;
  readonly path: readonly AccountName[];
  readonly mostVisits?: number;
}

/** Looks for what keeps an authority from being satisfied; a circle comes before everything else on the way. */
class ProblemSearch {
  readonly #activeOf: ActiveAuthorities;
  #steps = 0;
  #other: FoundProblem | undefined;

  constructor(activeOf: ActiveAuthorities) {
    this.#activeOf = activeOf;
  }

  findProblem(authority: Authority, path: readonly AccountName[]): FoundProblem | undefined {
    return this.#circleFrom(authority, path, 0) ?? this.#other;
  }

  #circleFrom({ account_auths }: Authority, path: readonly AccountName[], depth: number): FoundProblem | undefined {
    for (const [name] of account_auths) {
      if (name === TEMP_ACCOUNT) continue;
      if (this.#steps++ >= MOST_STEPS) return undefined;
      const here = [...path, name];
      if (path.includes(name)) return { problem: 'circle', path: here };
      const active = this.#activeOf(name);
      if (active === undefined) this.#other ??= { problem: 'unknown_account', path: here };
      else if (depth < MAX_SIGNATURE_CHECK_DEPTH) {
        const circle = this.#circleFrom(active, here, depth + 1);
        if (circle !== undefined) return circle;
      } else this.#other ??= { problem: 'too_deep', path: here };
    }
    return undefined;
  }
}

/** Finds faults of an authority that show without a look at other accounts. */
function ownProblem({ weight_threshold, account_auths, key_auths }: Authority): AuthorityProblem | undefined {
  const members = [...account_auths, ...key_auths];
  if (members.length === 0) return 'empty';
  return members.reduce((sum, [, weight]) => sum + weight, 0) < weight_threshold ? 'weights_too_small' : undefined;
}

function warning(set: SetAuthority, found: FoundProblem, isImpossible: boolean): AuthorityWarning {
  const { account, role } = set;
  const { problem, path } = found;
  const whose = `the new ${role} authority of ${quoted(account)}`;
  const why = whyText(found, set);
  const text = isImpossible
    ? `nothing can satisfy ${whose}: ${why}; ${harmText(set, found)}`
    : problem === 'open'
      ? `anybody can act by ${whose}: ${why}`
      : `${whose} goes in a circle: ${why}; those members add no weight`;
  return { account, role, problem, isImpossible, path, text };
}

function harmText({ role }: SetAuthority, { problem }: FoundProblem): string {
  if (role === 'owner') return 'the account can lose its owner for good';
  // A check that ends at the active authority does not come to the owner authority that could stand in for it.
  return problem === 'too_many_accounts'
    ? 'only what asks for its owner authority can be done for the account'
    : 'only its owner authority can act for the account';
}

function whyText({ problem, path, mostVisits }: FoundProblem, { authority }: SetAuthority): string {
  const { weight_threshold: threshold, account_auths, key_auths } = authority;
  const total = [...account_auths, ...key_auths].reduce((sum, [, weight]) => sum + weight, 0);
  const way = path.map(quoted).join(' → ');
  const texts: Readonly<Record<AuthorityProblem, string>> = {
    open: 'its threshold is 0',
    empty: 'it names nobody',
    weights_too_small: `its weights add up to ${total}, and its threshold is ${threshold}`,
    unknown_account: `the last account of ${way} does not exist`,
    circle: `${way} leads back`,
    too_deep: `${way} is deeper than the ${MAX_SIGNATURE_CHECK_DEPTH} levels that the chain follows`,
    too_many_accounts: `whether signatures suffice takes more than ${mostVisits} accounts to tell, which is as many as a check looks at`,
    unusable_members: 'those of its members that can sign have less weight than its threshold',
  };
  return texts[problem];
}
