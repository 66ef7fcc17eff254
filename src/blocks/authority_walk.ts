import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { TEMP_ACCOUNT } from '../values/reserved_accounts.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';

/**
 * The most accounts that a node looks at for a transaction that it accepts, whatever the rule set: as many as one
 * authority can name in a transaction of 8 KiB, and those that require it, 6 ms of work with all of them in memory.
 */
export const MOST_ACCEPTED_VISITS = 300;

/** Finds the authorities of accounts. Each implementation decides what happens when an account does not exist. */
export interface AuthorityLookup {
  active(name: AccountName): Authority;
  owner(name: AccountName): Authority;
  /** The number of different accounts that one check may look up. */
  readonly mostVisits: number;
  /** The key whose signature satisfies every authority of a development chain; undefined on chains that have none. */
  readonly impersonator?: PublicKey | undefined;
}

const refuse = refusals({
  too_many_accounts_visited:
    'whether the signatures suffice takes more than {most} accounts to tell, which is as many as may be looked into; name fewer in the authorities',
});

/** Refusals of a walk. */
export const authorityWalkRefusals = refuse.texts;

/**
 * Walks from authority to authority with the available keys (chain_rules.md#checking-authorities). Keys count before
 * accounts. Accounts within accounts are judged by their active authority, to a depth of two, and those found satisfied
 * on the way are approved from then on.
 */
export class AuthorityWalk {
  readonly lookup: AuthorityLookup;
  readonly #isAtHand: (key: PublicKey) => boolean;
  readonly #accounts = new Map<AccountName, WalkedAccount>();
  #visits = 0;
  /** The available keys that some authority has required. */
  readonly used: Set<PublicKey>;

  constructor(
    lookup: AuthorityLookup,
    isAtHand: (key: PublicKey) => boolean,
    { approved = [TEMP_ACCOUNT], used = [] }: Met = {},
  ) {
    this.lookup = lookup;
    this.#isAtHand = isAtHand;
    this.used = new Set(used);
    for (const name of approved) this.#account(name).isApproved = true;
  }

  /** A walk that continues from here and leaves this one unchanged. */
  copy(): AuthorityWalk {
    const approved = [...this.#accounts].flatMap(([name, { isApproved }]) => (isApproved ? name : []));
    return new AuthorityWalk(this.lookup, this.#isAtHand, { approved, used: this.used });
  }

  isApproved(name: AccountName): boolean {
    return this.#accounts.get(name)?.isApproved === true;
  }

  /** The owner authority may stand in for a required active authority. */
  canAct(name: AccountName): boolean {
    return (
      this.isApproved(name) ||
      this.#isMet(this.#activeAuthority(name)) ||
      this.#isMet(this.#ownerOf(name)) ||
      this.#isImpersonated()
    );
  }

  satisfiesActive(name: AccountName): boolean {
    return this.satisfies(this.#activeAuthority(name));
  }

  satisfiesOwner(name: AccountName): boolean {
    return this.satisfies(this.#ownerOf(name));
  }

  /** An account satisfied at the top level is not approved: only those named by others are. */
  satisfies(authority: Authority): boolean {
    return this.#isMet(authority) || this.#isImpersonated();
  }

  #isMet(authority: Authority): boolean {
    return this.weigh(authority) >= authority.weight_threshold;
  }

  /** Only asked where nothing else suffices: beside signatures that do, it counts as one too many. */
  #isImpersonated(): boolean {
    const { impersonator } = this.lookup;
    if (impersonator === undefined || !this.#isAtHand(impersonator)) return false;
    this.used.add(impersonator);
    return true;
  }

  #activeAuthority(name: AccountName): Authority {
    this.#visit(this.#account(name));
    return this.lookup.active(name);
  }

  #ownerOf(name: AccountName): Authority {
    this.#visit(this.#account(name));
    return this.lookup.owner(name);
  }

  /** The weight that the available keys give an authority; counting stops as soon as it suffices. */
  weigh({ weight_threshold, key_auths, account_auths }: Authority): number {
    let weight = this.#weightOfKeys(key_auths, weight_threshold);
    if (weight === undefined) return weight_threshold;
    for (const [name, more] of account_auths) {
      if (!this.#approvesNamed(this.#account(name))) continue;
      weight += more;
      if (weight >= weight_threshold) break;
    }
    return weight;
  }

  /** The weight of the available keys; undefined when they suffice alone and the rest is not needed. */
  #weightOfKeys(key_auths: Authority['key_auths'], threshold: number): number | undefined {
    let weight = 0;
    for (const [key, more] of key_auths) {
      // The null key is not a point of the curve, so it cannot have signed, whatever is claimed.
      if (key === NULL_KEY || !this.#isAtHand(key)) continue;
      this.used.add(key);
      weight += more;
      if (weight >= threshold) return undefined;
    }
    return weight;
  }

  /** Returns whether an account that a top-level authority names is approved. */
  #approvesNamed(account: WalkedAccount): boolean {
    if (account.isApproved) return true;
    const asks = this.#askedAuthorities(account);
    if (asks.isDecided ? !asks.isSatisfied : !this.#goThrough(asks)) return false;
    this.#approve(account);
    return true;
  }

  /**
   * Walks through the accounts that it names, in order, until they suffice: satisfied ones are approved, later ones are
   * not looked at.
   */
  #goThrough(asks: Asks): boolean {
    let weight = asks.weightOfKeys;
    for (const { account, weight: more } of asks.namings) {
      if (!this.#approvesDeepest(account)) continue;
      weight += more;
      if (weight >= asks.threshold) return true;
    }
    asks.isGoneThrough = true;
    return weight >= asks.threshold;
  }

  /** An account named by a named one: of the accounts that it names itself, only approved ones count. */
  #approvesDeepest(account: WalkedAccount): boolean {
    if (account.isApproved) return true;
    if (!this.#askedAuthorities(account).isSatisfied) return false;
    this.#approve(account);
    return true;
  }

  #approve(account: WalkedAccount): void {
    // An account that names itself may have been approved while walking through what it names.
    if (account.isApproved) return;
    account.isApproved = true;
    for (const { by, weight } of account.namedBy) {
      if (account.isReady) by.ready--;
      by.weight += weight;
      if (by.isSatisfied) noteReady(by.account);
    }
  }

  /** The requirements of the active authority of an account; looked up once. */
  #askedAuthorities(account: WalkedAccount): Asks {
    return (account.asks ??= this.#lookInto(account));
  }

  #lookInto(account: WalkedAccount): Asks {
    this.#visit(account);
    const { weight_threshold, key_auths, account_auths } = this.lookup.active(account.name);
    const weightOfKeys = this.#weightOfKeys(key_auths, weight_threshold);
    if (weightOfKeys === undefined) return new Asks(account, 0, 0);
    const asks = new Asks(account, weight_threshold, weightOfKeys);
    for (const [name, weight] of account_auths) asks.name(this.#account(name), weight);
    return asks;
  }

  #account(name: AccountName): WalkedAccount {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = new WalkedAccount(name);
      this.#accounts.set(name, account);
    }
    return account;
  }

  #visit(account: WalkedAccount): void {
    if (account.isVisited) return;
    account.isVisited = true;
    const { mostVisits: most } = this.lookup;
    if (++this.#visits > most) refuse.too_many_accounts_visited({ most });
  }
}

/** The starting point of a walk. */
interface Met {
  readonly approved?: Iterable<AccountName>;
  readonly used?: Iterable<PublicKey>;
}

/** An account that is named somewhere, looked up or not. */
class WalkedAccount {
  readonly name: AccountName;
  isVisited = false;
  isApproved = false;
  /** The next visit at the deepest level will approve it. */
  isReady = false;
  asks: Asks | undefined;
  /** The looked-up accounts that name it. */
  readonly namedBy: Naming[] = [];

  constructor(name: AccountName) {
    this.name = name;
  }
}

interface Naming {
  readonly by: Asks;
  readonly account: WalkedAccount;
  readonly weight: number;
}

/** The requirements of the active authority of an account, and the weight that is present. */
class Asks {
  readonly account: WalkedAccount;
  readonly threshold: number;
  readonly weightOfKeys: number;
  readonly namings: Naming[] = [];
  /** The weight of the available keys and of the named accounts that are approved. */
  weight: number;
  /** The number of named accounts that are ready and not approved. */
  ready = 0;
  /** Every named account was looked up, and they did not suffice. */
  isGoneThrough = false;

  constructor(account: WalkedAccount, threshold: number, weightOfKeys: number) {
    this.account = account;
    this.threshold = threshold;
    this.weightOfKeys = weightOfKeys;
    this.weight = weightOfKeys;
  }

  get isSatisfied(): boolean {
    return this.weight >= this.threshold;
  }

  /** Walking through the named accounts again would approve none of them. */
  get isDecided(): boolean {
    return this.isGoneThrough && this.ready === 0;
  }

  name(account: WalkedAccount, weight: number): void {
    const naming = { by: this, account, weight };
    this.namings.push(naming);
    account.namedBy.push(naming);
    if (account.isApproved) this.weight += weight;
    else if (account.isReady) this.ready++;
  }
}

function noteReady(account: WalkedAccount): void {
  if (account.isApproved || account.isReady) return;
  account.isReady = true;
  for (const { by } of account.namedBy) by.ready++;
}
