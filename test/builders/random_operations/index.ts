import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import type { RandomSource } from '../random_source.ts';
import { accounts } from './accounts.ts';
import { applications } from './applications.ts';
import { documents } from './documents.ts';
import { escrows } from './escrows.ts';
import { money } from './money.ts';
import { RandomValues, type Makers } from './random_values.ts';
import { recovery } from './recovery.ts';
import { witnesses } from './witnesses.ts';

/** An operation as JSON, and the names of the secrets that sign it. */
export interface RandomOperation {
  readonly operation: [kind: string, body: Json];
  readonly signers: readonly string[];
}

const makers: Makers = { ...money, ...accounts, ...recovery, ...witnesses, ...documents, ...escrows, ...applications };
const kinds = Object.keys(makers);

/** Kinds that need the result of an earlier operation. */
const sequels = [
  'escrow_approve',
  'escrow_approve',
  'escrow_approve',
  'escrow_dispute',
  'escrow_release',
  'escrow_release',
  'application_update',
  'buy_application',
  'cancel_application_buying',
  'recover_account',
  'withdraw_vesting',
] as const;

/**
 * Makes operations of every kind, most of which the chain may accept in its current state, and some that it must
 * refuse.
 */
export class RandomOperations {
  readonly #chain: Chain;
  readonly #randomSource: RandomSource;
  readonly #labels: Map<string, string>;

  /** `labels` says which secret belongs to a public key; it grows with every new key. */
  constructor(chain: Chain, randomSource: RandomSource, labels: Map<string, string>) {
    this.#chain = chain;
    this.#randomSource = randomSource;
    this.#labels = labels;
  }

  /** One of all kinds that users can send; those that need earlier ones more often. */
  kind(): string {
    return this.#randomSource.pick(this.#randomSource.chance(25) ? sequels : kinds);
  }

  make(kind: string): RandomOperation {
    const maker = makers[kind];
    if (maker === undefined) throw new RangeError(kind);
    const { signer, ...body } = maker(new RandomValues(this.#chain, this.#randomSource, this.#labels));
    return { operation: [kind, body], signers: typeof signer === 'string' ? [signer] : signer };
  }
}
