import type { Required } from '../blocks/authority_check.ts';
import type { AuthorityLookup } from '../blocks/authority_walk.ts';
import { requireRow } from '../state/lookups.ts';
import { accountAuthorities, type AccountAuthority } from '../state/tables/account_authority.ts';
import type { RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Call } from './services.ts';

/**
 * Not a rule of a chain, but a limit on how long one read may delay others: an account with the largest authorities
 * costs some 80 µs.
 */
const MOST_READ_VISITS = 125;
/** As many of the largest take about a millisecond. */
const AT_ONCE = 16;
/** A block that comes meanwhile makes all that was read void. After as many, the check reads in one go. */
const MOST_TRIES = 3;

/**
 * The authorities at the head that a check of what is required may look into, limited to as many accounts as one read
 * may look up. They are read a few at a time, in the order of the check, so that others are served meanwhile.
 */
export async function readAuthorities(
  { rows, parameters, clock }: Pick<Call, 'rows' | 'parameters' | 'clock'>,
  required: Required,
): Promise<AuthorityLookup> {
  const { impersonator } = parameters;
  const mostVisits = Math.min(parameters.rules.authority_visits, MOST_READ_VISITS);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const version = rows.version();
    const known = new KnownAuthorities(rows, mostVisits, impersonator);
    for (const read of known.readAhead(required)) {
      if (read % AT_ONCE === 0) await new Promise<void>((resolve) => void clock.after(0, resolve));
      if (rows.version() !== version) break;
    }
    if (rows.version() === version) return known;
  }
  return new KnownAuthorities(rows, mostVisits, impersonator);
}

/** Looks up the authorities of accounts, each once. Refuses an account that does not exist. */
class KnownAuthorities implements AuthorityLookup {
  readonly mostVisits: number;
  readonly impersonator: PublicKey | undefined;
  readonly #rows: RowReader;
  readonly #known = new Map<AccountName, AccountAuthority>();

  constructor(rows: RowReader, mostVisits: number, impersonator: PublicKey | undefined) {
    this.#rows = rows;
    this.mostVisits = mostVisits;
    this.impersonator = impersonator;
  }

  // Not methods: checks take a lookup apart to watch it.
  readonly active = (name: AccountName): Authority => this.#of(name).active;
  readonly owner = (name: AccountName): Authority => this.#of(name).owner;

  /** Reads accounts in the order in which a check meets them, and yields after each how many it has read. */
  *readAhead({ active, owner, other }: Required): Generator<number> {
    for (const authority of other) yield* this.#readNamed(authority);
    for (const name of [...active, ...owner]) {
      if (!(yield* this.#read(name))) continue;
      yield* this.#readNamed(this.active(name));
      yield* this.#readNamed(this.owner(name));
    }
  }

  /** The accounts that an authority names, and those that they name; a check goes no deeper. */
  *#readNamed({ account_auths }: Authority): Generator<number> {
    for (const [name] of account_auths) {
      if (!(yield* this.#read(name))) continue;
      for (const [deepest] of this.active(name).account_auths) yield* this.#read(deepest);
    }
  }

  /** True if the account is known now: it may not exist, or be beyond the limit. */
  *#read(name: AccountName): Generator<number, boolean> {
    if (this.#known.has(name)) return true;
    const row = this.#known.size < this.mostVisits ? this.#rows.get(accountAuthorities, name) : undefined;
    if (row === undefined) return false;
    this.#known.set(name, row);
    yield this.#known.size;
    return true;
  }

  #of(name: AccountName): AccountAuthority {
    let row = this.#known.get(name);
    if (row === undefined) {
      row = requireRow(this.#rows, accountAuthorities, name, name);
      this.#known.set(name, row);
    }
    return row;
  }
}
