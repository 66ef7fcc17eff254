import { byName } from './names.ts';
import { refuse, require } from './refusal.ts';
import type { State } from './state.ts';
import { NULL_KEY, type Authority } from './values.ts';

// chain_rules.md#checking-authorities: whether those who signed may do what the transaction does.

const DEEPEST = 2;

/** The accounts and authorities that a whole transaction needs. */
export interface Needed {
  readonly active: ReadonlySet<string>;
  readonly owner: ReadonlySet<string>;
  readonly other: readonly Authority[];
}

class Check {
  readonly #state: State;
  readonly #signers: ReadonlySet<string>;
  readonly used = new Set<string>();
  readonly #approved = new Set(['temp']);
  /** Accounts that failed at a depth since the last one was approved. */
  readonly #failed = new Set<string>();
  #visited = 0;

  constructor(state: State, signers: ReadonlySet<string>) {
    this.#state = state;
    this.#signers = signers;
  }

  isActive(name: string, depth = 0): boolean {
    if (this.#approved.has(name)) return true;
    const failure = `${depth} ${name}`;
    if (this.#failed.has(failure)) return false;
    const isMet = this.isMet(this.#visit(name).active, depth);
    if (!isMet) this.#failed.add(failure);
    return isMet;
  }

  isOwner(name: string): boolean {
    return this.isMet(this.#visit(name).owner);
  }

  isMet(authority: Authority, depth = 0): boolean {
    let weight = 0;
    for (const [key, own] of authority.keys) {
      if (!this.#signers.has(key)) continue;
      this.used.add(key);
      weight += own;
      if (weight >= authority.threshold) return true;
    }
    for (const [name, own] of authority.accounts) {
      if (!this.#isApproved(name, depth)) continue;
      weight += own;
      if (weight >= authority.threshold) return true;
    }
    return weight >= authority.threshold;
  }

  #isApproved(name: string, depth: number): boolean {
    if (this.#approved.has(name)) return true;
    if (depth === DEEPEST || !this.isActive(name, depth + 1)) return false;
    this.#approved.add(name);
    this.#failed.clear();
    return true;
  }

  #visit(name: string): { readonly active: Authority; readonly owner: Authority } {
    this.#visited++;
    require(this.#visited <= this.#state.rules.mostAccountsVisited, 'too many accounts visited');
    return this.#state.account(name);
  }
}

/** `signers` are the keys behind the signatures; undefined where no key can have made one. */
export function checkAuthorities(state: State, needed: Needed, signers: readonly (string | undefined)[]): void {
  const keys = new Set<string>();
  for (const key of signers) {
    if (key === undefined || key === NULL_KEY) refuse('signature is of nobody');
    require(!keys.has(key), 'Duplicate Signature detected');
    keys.add(key);
  }
  const check = new Check(state, keys);
  for (const authority of needed.other) require(check.isMet(authority), 'Missing Authority');
  for (const name of [...needed.active].sort(byName))
    require(check.isActive(name) || check.isOwner(name), 'Missing Active Authority');
  for (const name of [...needed.owner].sort(byName)) require(check.isOwner(name), 'Missing Owner Authority');
  require(check.used.size === keys.size, 'Unnecessary signature(s) detected');
}
