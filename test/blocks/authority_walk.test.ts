import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../src/base/refusal.ts';
import type { Required } from '../../src/blocks/authority_check.ts';
import { AuthorityWalk, type AuthorityLookup } from '../../src/blocks/authority_walk.ts';
import type { Authority } from '../../src/values/authority.ts';
import { TEMP_ACCOUNT } from '../../src/values/reserved_accounts.ts';
import { isLong } from '../builders/forms.ts';

const KEYS = ['k1', 'k2', 'k3', 'k4'];
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const MISSING = 'missing';

interface World {
  readonly accounts: ReadonlyMap<string, { readonly active: Authority; readonly owner: Authority }>;
  readonly required: Required;
  readonly keys: readonly string[];
}

interface Outcome {
  readonly verdict: string;
  readonly used: readonly string[];
}

/** Answers each requirement in its turn, until one is not met or an account is missing. */
interface Walk {
  canAct(name: string): boolean;
  satisfiesOwner(name: string): boolean;
  satisfies(authority: Authority): boolean;
  readonly used: ReadonlySet<string>;
}

/**
 * chain_rules.md#checking-authorities word by word: everything is walked again each time, and nothing is remembered but
 * who is approved.
 */
class LiteralWalk implements Walk {
  readonly #lookup: AuthorityLookup;
  readonly #keys: ReadonlySet<string>;
  readonly #approved = new Set([TEMP_ACCOUNT]);
  readonly used = new Set<string>();

  constructor(lookup: AuthorityLookup, keys: ReadonlySet<string>) {
    this.#lookup = lookup;
    this.#keys = keys;
  }

  canAct(name: string): boolean {
    return this.#approved.has(name) || this.satisfies(this.#lookup.active(name)) || this.satisfiesOwner(name);
  }

  satisfiesOwner(name: string): boolean {
    return this.satisfies(this.#lookup.owner(name));
  }

  satisfies({ weight_threshold, key_auths, account_auths }: Authority, depth = 0): boolean {
    let sum = 0;
    for (const [key, weight] of key_auths) {
      if (!this.#keys.has(key)) continue;
      this.used.add(key);
      sum += weight;
      if (sum >= weight_threshold) return true;
    }
    for (const [name, weight] of account_auths) {
      if (!this.#approved.has(name)) {
        if (depth === 2) continue;
        if (!this.satisfies(this.#lookup.active(name), depth + 1)) continue;
        this.#approved.add(name);
      }
      sum += weight;
      if (sum >= weight_threshold) return true;
    }
    return sum >= weight_threshold;
  }
}

function makeLookup({ accounts }: Pick<World, 'accounts'>, mostVisits = Infinity): AuthorityLookup {
  const find = (name: string): { readonly active: Authority; readonly owner: Authority } => {
    const found = accounts.get(name);
    if (found === undefined) throw new Refusal('unknown_key', name);
    return found;
  };
  return { active: (name) => find(name).active, owner: (name) => find(name).owner, mostVisits };
}

function walkOutcome(walk: Walk, { active, owner, other }: Required): Outcome {
  return { verdict: otherVerdict(), used: [...walk.used] };

  function otherVerdict(): string {
    try {
      for (const authority of other) if (!walk.satisfies(authority)) return 'other';
      for (const name of active) if (!walk.canAct(name)) return `active ${name}`;
      for (const name of owner) if (!walk.satisfiesOwner(name)) return `owner ${name}`;
      return 'ok';
    } catch (error) {
      assert.ok(error instanceof Refusal);
      return `${error.code} ${error.message}`;
    }
  }
}

const weight = fc.integer({ min: 0, max: 2 });
const naming = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.constantFrom(TEMP_ACCOUNT) },
  { weight: 1, arbitrary: fc.constantFrom(MISSING) },
);
const authority: fc.Arbitrary<Authority> = fc.record({
  weight_threshold: fc.integer({ min: 0, max: 5 }),
  key_auths: fc.array(fc.tuple(fc.constantFrom(...KEYS), weight), { maxLength: 2 }),
  account_auths: fc.array(fc.tuple(naming, weight), { maxLength: 7 }),
});
const world: fc.Arbitrary<World> = fc.record({
  accounts: fc
    .tuple(
      ...[...NAMES, TEMP_ACCOUNT].map((name) =>
        fc.tuple(fc.constant(name), fc.record({ active: authority, owner: authority })),
      ),
    )
    .map((rows) => new Map(rows)),
  required: fc.record({
    active: fc.subarray([...NAMES, TEMP_ACCOUNT]),
    owner: fc.subarray(NAMES, { maxLength: 3 }),
    other: fc.array(authority, { maxLength: 4 }),
  }),
  keys: fc.subarray(KEYS),
});

test('whatever accounts name each other, verdict, used keys and their order are those of walking all of it each time', () => {
  const agreed = (one: World): string => {
    const keys = new Set(one.keys);
    const lookup = makeLookup(one);
    const literal = walkOutcome(new LiteralWalk(lookup, keys), one.required);
    assert.deepEqual(walkOutcome(new AuthorityWalk(lookup, (key) => keys.has(key)), one.required), literal);
    return literal.verdict;
  };
  fc.assert(
    fc.property(world, (one) => void agreed(one)),
    { numRuns: isLong ? 20_000 : 4000 },
  );
  // Such worlds are neither all open nor all closed: the same ones each time, which no run counts otherwise.
  const verdicts = fc.sample(world, { seed: 1, numRuns: 1000 }).map(agreed);
  const [satisfied, unknown] = [/^ok$/, /^unknown_key/].map((kind) => verdicts.filter((one) => kind.test(one)).length);
  assert.ok((satisfied ?? 0) > 50 && (unknown ?? 0) > 50, `${satisfied} satisfied, ${unknown} with a missing account`);
});

test('accounts that all name each other are looked up once each, whoever asks and however often others are approved', () => {
  const names = Array.from({ length: 60 }, (_, index) => `account${index}`);
  const account_auths = names.map((name): [string, number] => [name, 1]);
  // Each is satisfied once the one behind it in the list is, so that going through the list approves one at a time.
  const active = (index: number): Authority => ({
    weight_threshold: 1,
    key_auths: [],
    account_auths: account_auths.slice(index + 1, index + 2),
  });
  const last: Authority = { weight_threshold: 0, key_auths: [], account_auths: [] };
  const accounts = new Map(
    names.map((name, index) => [name, { active: index === 59 ? last : active(index), owner: last }]),
  );
  const lookups: string[] = [];
  const lookup = makeLookup({ accounts });
  const counting: AuthorityLookup = { ...lookup, active: (name) => (lookups.push(name), lookup.active(name)) };
  const walk = new AuthorityWalk(counting, () => false);
  for (const _ of names) walk.satisfies({ weight_threshold: 100, key_auths: [], account_auths });
  assert.equal(lookups.length, names.length);
  assert.ok(names.every((name) => walk.isApproved(name)));
});

test('a walk that may look into a number of accounts is refused at the next one, and no sooner', () => {
  fc.assert(
    fc.property(world, (one) => {
      const keys = new Set(one.keys);
      const looked = new Set<string>();
      const noting =
        (find: (name: string) => Authority) =>
        (name: string): Authority => {
          looked.add(name);
          return find(name);
        };
      const lookup = makeLookup(one);
      const noted = { ...lookup, active: noting(lookup.active), owner: noting(lookup.owner) };
      const free = walkOutcome(new LiteralWalk(noted, keys), one.required);
      const within = (mostVisits: number): string => {
        const limited = makeLookup(one, mostVisits);
        return walkOutcome(new AuthorityWalk(limited, (key) => keys.has(key)), one.required).verdict;
      };
      assert.equal(within(looked.size), free.verdict);
      if (looked.size > 0) assert.match(within(looked.size - 1), /^too_many_accounts_visited/);
    }),
    { numRuns: 2000 },
  );
});
