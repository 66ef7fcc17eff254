import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import { TEMP_ACCOUNT, type Authority } from '../values/authority.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';

/** Who may act for accounts: whoever looks up decides what becomes of an account that does not exist. */
export interface AuthorityLookup {
  active(name: AccountName): Authority;
  owner(name: AccountName): Authority;
  /** How many different accounts one check may look into. */
  readonly mostVisits: number;
}

const refuse = refusals({
  too_many_accounts_visited:
    'whether the signatures suffice takes more than {most} accounts to tell, which is as many as may be looked into; name fewer in the authorities',
});

/** What a walk may refuse. */
export const authorityWalkRefusals = refuse.texts;

/**
 * What the keys at hand prove, walked from authority to authority (chain.md 5.8): keys count before accounts, accounts within accounts
 * are judged by their active authority, to a depth of two, and those that are found satisfied on the way are approved from then on.
 *
 * Anybody can make accounts that name each other by the hundred, so none is gone through twice for nothing: each keeps the weight of
 * what it names and is approved, and hears when that grows. The work is linear in the members of the authorities that are met, and the
 * outcome is that of walking through all of it each time, down to the keys that count as used.
 */
export class AuthorityWalk {
  readonly lookup: AuthorityLookup;
  readonly #isAtHand: (key: PublicKey) => boolean;
  readonly #accounts = new Map<AccountName, WalkedAccount>();
  #visits = 0;
  /** The keys at hand that some authority has asked for. */
  readonly used: Set<PublicKey>;

  constructor(lookup: AuthorityLookup, isAtHand: (key: PublicKey) => boolean, { approved = [TEMP_ACCOUNT], used = [] }: Met = {}) {
    this.lookup = lookup;
    this.#isAtHand = isAtHand;
    this.used = new Set(used);
    for (const name of approved) this.#account(name).isApproved = true;
  }

  /** A walk that goes on from here and leaves this one as it is. */
  copy(): AuthorityWalk {
    const approved = [...this.#accounts].flatMap(([name, { isApproved }]) => (isApproved ? name : []));
    return new AuthorityWalk(this.lookup, this.#isAtHand, { approved, used: this.used });
  }

  isApproved(name: AccountName): boolean {
    return this.#accounts.get(name)?.isApproved === true;
  }

  /** For what asks for the active authority the owner's stands in. */
  actsFor(name: AccountName): boolean {
    return this.isApproved(name) || this.satisfiesActive(name) || this.satisfiesOwner(name);
  }

  satisfiesActive(name: AccountName): boolean {
    this.#visit(this.#account(name));
    return this.satisfies(this.lookup.active(name));
  }

  satisfiesOwner(name: AccountName): boolean {
    this.#visit(this.#account(name));
    return this.satisfies(this.lookup.owner(name));
  }

  /** An account that passes at the top is not approved: only those that were named by others are. */
  satisfies(authority: Authority): boolean {
    return this.weigh(authority) >= authority.weight_threshold;
  }

  /** The weight that the keys at hand give an authority; where that suffices, no more of it than that. */
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

  /** What the keys at hand weigh; undefined when they suffice alone, and the rest is not asked for. */
  #weightOfKeys(key_auths: Authority['key_auths'], threshold: number): number | undefined {
    let weight = 0;
    for (const [key, more] of key_auths) {
      // No point of the curve, so nobody can have signed with it, whatever is claimed.
      if (key === NULL_KEY || !this.#isAtHand(key)) continue;
      this.used.add(key);
      weight += more;
      if (weight >= threshold) return undefined;
    }
    return weight;
  }

  /** An account that an authority at the top names. */
  #approvesNamed(account: WalkedAccount): boolean {
    if (account.isApproved) return true;
    const asks = this.#askOf(account);
    if (asks.isDecided ? !asks.isSatisfied : !this.#goThrough(asks)) return false;
    this.#approve(account);
    return true;
  }

  /** The accounts that it names, in their order, until they suffice: who is satisfied is approved, who stands behind is not looked at. */
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

  /** An account that is named by a named one: of those that it names itself only the approved count. */
  #approvesDeepest(account: WalkedAccount): boolean {
    if (account.isApproved) return true;
    if (!this.#askOf(account).isSatisfied) return false;
    this.#approve(account);
    return true;
  }

  #approve(account: WalkedAccount): void {
    // One that names itself may have been approved on the way through what it names.
    if (account.isApproved) return;
    account.isApproved = true;
    for (const { by, weight } of account.namedBy) {
      if (account.isReady) by.ready--;
      by.weight += weight;
      if (by.isSatisfied) noteReady(by.account);
    }
  }

  /** What the active authority of an account asks for; looked up once. */
  #askOf(account: WalkedAccount): Asks {
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

/** Where a walk begins. */
interface Met {
  readonly approved?: Iterable<AccountName>;
  readonly used?: Iterable<PublicKey>;
}

/** An account that is named somewhere, looked into or not. */
class WalkedAccount {
  readonly name: AccountName;
  isVisited = false;
  isApproved = false;
  /** Whoever looks into it next at the deepest level approves it. */
  isReady = false;
  asks: Asks | undefined;
  /** By accounts that were looked into. */
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

/** What the active authority of an account asks for, and how much of it is there. */
class Asks {
  readonly account: WalkedAccount;
  readonly threshold: number;
  readonly weightOfKeys: number;
  readonly namings: Naming[] = [];
  /** Of the keys at hand and of those named accounts that are approved. */
  weight: number;
  /** How many of the named accounts are ready and not approved. */
  ready = 0;
  /** Each named account was looked into, and they did not suffice. */
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

  /** Going through the named accounts again would approve none of them. */
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
