import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { accountAuthorities, type AccountAuthority } from '../../../src/state/tables/account_authority.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import { witnesses } from '../../../src/state/tables/witness.ts';
import type { Authority } from '../../../src/values/authority.ts';
import { fiatSymbols } from '../../../src/values/profile.ts';
import { testKey, testKeyText } from '../chain.ts';
import type { RandomSource } from '../random_source.ts';

/** The fee of a free operation. */
export const FREE = '0.000000 COIN';

const DEEPEST = 2; // accounts that name accounts

/** The body of an operation, and whose secrets sign it. */
export type SignedBody = { signer: string | string[]; [member: string]: Json };

/** Makes bodies of operations, under the names of their kinds. */
export type Makers = Readonly<Record<string, (random: RandomValues) => SignedBody>>;

/** Random values, most of which the chain may accept in its current state. */
export class RandomValues {
  readonly chain: Chain;
  readonly randomSource: RandomSource;
  /** Which secret belongs to a public key: all that were ever used. */
  readonly labels: Map<string, string>;
  readonly names: readonly string[];

  constructor(chain: Chain, randomSource: RandomSource, labels: Map<string, string>) {
    this.chain = chain;
    this.randomSource = randomSource;
    this.labels = labels;
    this.names = chain.committed.range(accounts.by_id, { limit: 40 }).map(({ name }) => name);
  }

  /** An account, mostly one whose keys are known. */
  anyone(): string {
    if (this.randomSource.chance(3)) return this.randomSource.pick(['none', 'temp', 'miners', 'nobody', '']);
    return this.randomSource.pick(this.names.length > 4 ? this.names.slice(3) : this.names);
  }

  witness(): string {
    const owners = this.chain.committed.range(witnesses.by_id, { limit: 20 }).map(({ owner }) => owner);
    return this.randomSource.chance(90) ? this.randomSource.pick(owners) : this.anyone();
  }

  /** A secret's name for a new key. */
  fresh(): string {
    const label = `key ${this.randomSource.roll(400)}`;
    this.labels.set(testKey(label), label);
    return label;
  }

  freshKeyText(): string {
    return testKeyText(this.fresh());
  }

  /** Returns the labels whose secrets satisfy an authority: keys first, then accounts, to the chain's depth limit. */
  labelsIn(asked: Authority | undefined, depth = 0): string[] {
    const labels: string[] = [];
    let weight = 0;
    for (const [key, own] of asked?.key_auths ?? []) {
      const label = this.labels.get(key);
      if (label === undefined || weight >= (asked?.weight_threshold ?? 0)) continue;
      labels.push(label);
      weight += own;
    }
    for (const [account, own] of depth < DEEPEST ? (asked?.account_auths ?? []) : []) {
      if (weight >= (asked?.weight_threshold ?? 0)) break;
      labels.push(...this.labelsIn(this.#authorities(account)?.active, depth + 1));
      weight += own;
    }
    return [...new Set(labels.length > 0 || asked?.weight_threshold === 0 ? labels : ['nobody'])];
  }

  active(name: string): string[] {
    // The owner authority satisfies it too.
    const authorities = this.#authorities(name);
    return this.labelsIn(this.randomSource.chance(90) ? authorities?.active : authorities?.owner);
  }

  owner(name: string): string[] {
    return this.labelsIn(this.#authorities(name)?.owner);
  }

  #authorities(name: string): AccountAuthority | undefined {
    return this.chain.pendingRows.get(accountAuthorities, name);
  }

  /** Up to that many coins, in a few sizes. */
  coins(most = 5_000_000): string {
    if (this.randomSource.chance(8)) return `0.00000${this.randomSource.roll(3)} COIN`;
    const whole = this.randomSource.chance(50) ? this.randomSource.roll(10) : this.randomSource.roll(most);
    return `${whole}.${String(this.randomSource.roll(1_000_000)).padStart(6, '0')} COIN`;
  }

  vests(): string {
    return this.randomSource.chance(15) ? '0.000000 VESTS' : this.coins(100_000).replace('COIN', 'VESTS');
  }

  baseFee(): string {
    if (this.randomSource.chance(5)) return `0.${String(this.randomSource.roll(20_000)).padStart(6, '0')} COIN`;
    if (this.randomSource.chance(1)) return `0.010000 ${this.randomSource.pick(['VESTS', 'XYZ'])}`;
    return this.randomSource.chance(8)
      ? `${this.randomSource.pick(['0.100000', '0.010000', '0.064000'])} ${this.randomSource.pick(fiatSymbols)}`
      : '0.010000 COIN';
  }

  /** A fee for what is free: mostly zero, sometimes a small one, or zero in another symbol. */
  freeFee(): string {
    if (this.randomSource.chance(93)) return FREE;
    return this.randomSource.pick([
      '0.000001 COIN',
      '3.000000 COIN',
      '0.000000 USD',
      '0.000001 EUR',
      '0.000000 VESTS',
      '0.000000 XYZ',
    ]);
  }

  /** An authority that can be satisfied, unless stated otherwise. */
  authority(isStrange = false): Json {
    const account_auths = this.randomSource.chance(20) ? [[this.anyone(), 1]] : [];
    if (isStrange)
      return { weight_threshold: this.randomSource.roll(4), account_auths, key_auths: [[this.freshKeyText(), 1]] };
    const key_auths = Array.from({ length: this.randomSource.chance(80) ? 1 : 1 + this.randomSource.roll(3) }, () => [
      this.freshKeyText(),
      1,
    ]);
    const keys = new Set(key_auths.map(([key]) => key)).size;
    return { weight_threshold: 1 + this.randomSource.roll(keys), account_auths, key_auths };
  }
}
