import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { accountAuthorities } from '../../../src/state/tables/account_authority.ts';
import { accounts } from '../../../src/state/tables/account.ts';
import { witnesses } from '../../../src/state/tables/witness.ts';
import type { Authority } from '../../../src/values/authority.ts';
import { fiatSymbols } from '../../../src/values/profile.ts';
import { keyOf, keyTextOf } from '../chain.ts';
import type { Dice } from '../dice.ts';

/** What an operation costs that is free. */
export const FREE = '0.000000 COIN';

/** The body of an operation, and whose secrets sign it. */
export type SignedBody = { signer: string | string[]; [member: string]: Json };

/** Makes bodies of operations, under the names of their kinds. */
export type Makers = Readonly<Record<string, (random: RandomValues) => SignedBody>>;

/** Values that have a fair chance on the chain as it stands, and some that have none. */
export class RandomValues {
  readonly chain: Chain;
  readonly dice: Dice;
  /** Which secret belongs to a public key: every one that was ever handed out. */
  readonly labels: Map<string, string>;
  readonly names: readonly string[];

  constructor(chain: Chain, dice: Dice, labels: Map<string, string>) {
    this.chain = chain;
    this.dice = dice;
    this.labels = labels;
    this.names = chain.committed.range(accounts.by_id, { limit: 40 }).map(({ name }) => name);
  }

  /** Somebody, mostly one who can act. */
  anyone(): string {
    if (this.dice.chance(3)) return this.dice.pick(['none', 'temp', 'miners', 'nobody', '']);
    return this.dice.pick(this.names.length > 4 ? this.names.slice(3) : this.names);
  }

  witness(): string {
    const owners = this.chain.committed.range(witnesses.by_id, { limit: 20 }).map(({ owner }) => owner);
    return this.dice.chance(90) ? this.dice.pick(owners) : this.anyone();
  }

  /** A secret's name for a new key. */
  fresh(): string {
    const label = `key ${this.dice.roll(400)}`;
    this.labels.set(keyOf(label), label);
    return label;
  }

  freshKeyText(): string {
    return keyTextOf(this.fresh());
  }

  labelIn(owner: Authority | undefined): string {
    return this.labels.get(owner?.key_auths[0]?.[0] ?? '') ?? 'nobody';
  }

  active(name: string): string {
    return this.labelIn(this.chain.pendingRows.get(accountAuthorities, name)?.active);
  }

  owner(name: string): string {
    return this.labelIn(this.chain.pendingRows.get(accountAuthorities, name)?.owner);
  }

  /** Up to that many coins, in a few sizes. */
  coins(most = 5_000_000): string {
    const whole = this.dice.chance(50) ? this.dice.roll(10) : this.dice.roll(most);
    return `${whole}.${String(this.dice.roll(1_000_000)).padStart(6, '0')} COIN`;
  }

  vests(): string {
    return this.dice.chance(15) ? '0.000000 VESTS' : this.coins(100_000).replace('COIN', 'VESTS');
  }

  baseFee(): string {
    if (this.dice.chance(5)) return `0.${String(this.dice.roll(20_000)).padStart(6, '0')} COIN`;
    return this.dice.chance(8) ? `0.100000 ${this.dice.pick(fiatSymbols)}` : '0.010000 COIN';
  }

  /** An authority that somebody can satisfy, unless said otherwise. */
  authority(isStrange = false): Json {
    const key_auths = [[this.freshKeyText(), 1]];
    const account_auths = this.dice.chance(20) ? [[this.anyone(), 1]] : [];
    return { weight_threshold: isStrange ? this.dice.roll(4) : 1, account_auths, key_auths };
  }
}
