import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { applications } from '../../src/state/tables/application.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { authority, type Authority } from '../../src/values/authority.ts';
import { timeText } from '../../src/values/time.ts';
import { keyOf, keyTextOf, notation } from './chain.ts';
import type { Dice } from './dice.ts';

/** An operation as JSON, and the names of the secrets that sign it. */
export interface RandomOperation {
  readonly operation: [kind: string, body: Json];
  readonly signers: readonly string[];
}

const HOUR = 3600;
const FREE = '0.000000 COIN';
/** Kinds that succeed only behind another one that is still there. */
const sequels = [
  'escrow_approve',
  'escrow_approve',
  'escrow_approve',
  'escrow_dispute',
  'escrow_release',
  'escrow_release',
  'application_update',
  'cancel_application_buying',
  'recover_account',
] as const;
const fiats = ['USD', 'EUR', 'CHF', 'CNY', 'GBP'] as const;

/** Makes operations of every kind that have a fair chance on the chain as it stands, and some that have none. */
export class RandomOperations {
  readonly #chain: Chain;
  readonly #dice: Dice;
  /** Which secret belongs to a public key: every one that was ever handed out. */
  readonly #labels: Map<string, string>;
  #names: readonly string[] = [];

  constructor(chain: Chain, dice: Dice, labels: Map<string, string>) {
    this.#chain = chain;
    this.#dice = dice;
    this.#labels = labels;
  }

  /** One of all kinds that users can send; those that need others before them more often. */
  kind(): string {
    return this.#dice.chance(25) ? this.#dice.pick(sequels) : this.#dice.pick(Object.keys(this.#makers));
  }

  make(kind: string): RandomOperation {
    this.#names = this.#chain.committed.range(accounts.by_id, { limit: 40 }).map(({ name }) => name);
    const maker = this.#makers[kind];
    if (maker === undefined) throw new RangeError(kind);
    const { signer, ...body } = maker();
    return { operation: [kind, body], signers: typeof signer === 'string' ? [signer] : signer };
  }

  /** Somebody, mostly one who can act. */
  #anyone(): string {
    if (this.#dice.chance(3)) return this.#dice.pick(['none', 'temp', 'miners', 'nobody', '']);
    return this.#dice.pick(this.#names.length > 4 ? this.#names.slice(3) : this.#names);
  }

  #witness(): string {
    const owners = this.#chain.committed.range(witnesses.by_id, { limit: 20 }).map(({ owner }) => owner);
    return this.#dice.chance(90) ? this.#dice.pick(owners) : this.#anyone();
  }

  /** A secret's name for a new key. */
  #fresh(): string {
    const label = `key ${this.#dice.roll(400)}`;
    this.#labels.set(keyOf(label), label);
    return label;
  }

  #freshKeyText(): string {
    return keyTextOf(this.#fresh());
  }

  #labelIn(owner: Authority | undefined): string {
    return this.#labels.get(owner?.key_auths[0]?.[0] ?? '') ?? 'nobody';
  }

  #active(name: string): string {
    return this.#labelIn(this.#chain.pendingRows.get(accountAuthorities, name)?.active);
  }

  #owner(name: string): string {
    return this.#labelIn(this.#chain.pendingRows.get(accountAuthorities, name)?.owner);
  }

  /** Up to that many coins, in a few sizes. */
  #coins(most = 5_000_000): string {
    const whole = this.#dice.chance(50) ? this.#dice.roll(10) : this.#dice.roll(most);
    return `${whole}.${String(this.#dice.roll(1_000_000)).padStart(6, '0')} COIN`;
  }

  #vests(): string {
    return this.#dice.chance(15) ? '0.000000 VESTS' : this.#coins(100_000).replace('COIN', 'VESTS');
  }

  #baseFee(): string {
    if (this.#dice.chance(5)) return `0.${String(this.#dice.roll(20_000)).padStart(6, '0')} COIN`;
    return this.#dice.chance(8) ? `0.100000 ${this.#dice.pick(fiats)}` : '0.010000 COIN';
  }

  /** An authority that somebody can satisfy, unless said otherwise. */
  #authority(isStrange = false): Json {
    const key_auths = [[this.#freshKeyText(), 1]];
    const account_auths = this.#dice.chance(20) ? [[this.#anyone(), 1]] : [];
    return { weight_threshold: isStrange ? this.#dice.roll(4) : 1, account_auths, key_auths };
  }

  #rate(): { base: string; quote: string } {
    const [coin, fiat] = [`${1 + this.#dice.roll(9)}.000000 COIN`, `${1 + this.#dice.roll(9)}.000000 ${this.#dice.pick(fiats)}`];
    return this.#dice.chance(50) ? { base: coin, quote: fiat } : { base: fiat, quote: coin };
  }

  #properties(): Json {
    const rate = this.#rate();
    const symbol = (rate.base + rate.quote).replace(/COIN|[^A-Z]/g, '');
    const price_feeds = this.#dice.chance(30) ? [[symbol, rate]] : [];
    return {
      account_creation_fee: `0.${5 + this.#dice.roll(5)}00000 COIN`,
      maximum_block_size: 131_000 + this.#dice.roll(100_000),
      price_feeds,
    };
  }

  #escrow(): { from: string; to: string; agent: string; escrow_id: number } {
    const open = this.#chain.committed.range(escrows.by_from_id, { limit: 50 });
    if (open.length > 0 && this.#dice.chance(85)) {
      const { from, to, agent, escrow_id } = this.#dice.pick(open);
      return { from, to, agent: this.#dice.chance(97) ? agent : to, escrow_id };
    }
    return { from: this.#anyone(), to: this.#anyone(), agent: this.#anyone(), escrow_id: this.#dice.roll(4) };
  }

  /** The application with that id, or any; mostly one that is there. */
  #application(wanted?: bigint): { author: string; name: string; id: number } {
    const known = this.#chain.committed.range(applications.by_id, { limit: 20 }).filter(({ id }) => wanted === undefined || id === wanted);
    if (known.length === 0 || this.#dice.chance(10))
      return { author: this.#anyone(), name: `app${this.#dice.roll(6)}`, id: this.#dice.roll(30) };
    const { author, name, id } = this.#dice.pick(known);
    return { author, name, id: Number(id) };
  }

  #payload(): string {
    return 'x'.repeat(this.#dice.pick([0, 1, 10, 4094, 4095]));
  }

  #document(): { signer: string; fee: string; sender: string; recipients: string[]; app_id: number } {
    const sender = this.#anyone();
    const recipients = Array.from({ length: this.#dice.roll(4) }, () => this.#anyone());
    return { signer: this.#active(sender), fee: '0.020000 COIN', sender, recipients, app_id: this.#dice.roll(3) };
  }

  readonly #makers: Readonly<Record<string, () => { signer: string | string[]; [member: string]: Json }>> = {
    transfer: () => {
      const from = this.#anyone();
      return {
        signer: this.#active(from),
        fee: this.#baseFee(),
        from,
        to: this.#anyone(),
        amount: this.#coins(),
        memo: String(this.#dice.roll(99)),
      };
    },
    transfer_to_vesting: () => {
      const from = this.#anyone();
      return { signer: this.#active(from), fee: FREE, from, to: this.#dice.chance(40) ? '' : this.#anyone(), amount: this.#coins() };
    },
    withdraw_vesting: () => {
      const account = this.#anyone();
      return { signer: this.#active(account), fee: FREE, account, vesting_shares: this.#vests() };
    },
    feed_publish: () => {
      const publisher = this.#witness();
      return { signer: this.#active(publisher), fee: FREE, publisher, exchange_rate: this.#rate() };
    },
    account_create: () => {
      const creator = this.#anyone();
      const name_seed = `seed ${this.#dice.roll(30)}`;
      const isStrange = this.#dice.chance(10);
      const [owner, active] = [this.#authority(isStrange), this.#authority(isStrange)];
      return {
        signer: this.#active(creator),
        fee: '0.950000 COIN',
        creator,
        name_seed,
        owner,
        active,
        memo_key: this.#freshKeyText(),
        json_metadata: this.#dice.pick(['', '{}', '{bad', 'x']),
      };
    },
    account_update: () => {
      const account = this.#anyone();
      const changes = {
        ...(this.#dice.chance(40) ? { owner: this.#authority() } : {}),
        ...(this.#dice.chance(40) ? { active: this.#authority() } : {}),
      };
      const signer = 'owner' in changes || 'active' in changes ? this.#owner(account) : this.#active(account);
      return { signer, fee: FREE, account, ...changes, memo_key: this.#freshKeyText(), json_metadata: this.#dice.pick(['', '{"a":1}']) };
    },
    account_delete: () => {
      // Only accounts that were made on the way, so that somebody is left.
      const account = this.#names.length > 12 ? this.#dice.pick(this.#names.slice(9)) : 'nobody';
      return { signer: this.#owner(account), fee: FREE, account };
    },
    witness_update: () => {
      const owner = this.#anyone();
      const label = this.#fresh();
      const isStop = owner !== 'initminer' && this.#dice.chance(5);
      return {
        signer: this.#active(owner),
        fee: FREE,
        owner,
        url: this.#dice.chance(97) ? 'u' : '',
        block_signing_key: isStop ? nullKeyText() : keyTextOf(label),
        props: this.#properties(),
      };
    },
    witness_stop: () => {
      // The lineage lets a chain stop for good; one witness is left alone.
      const owner = this.#witness();
      const stops = owner === 'initminer' ? 'alice' : owner;
      return { signer: this.#active(stops), fee: this.#baseFee(), owner: stops };
    },
    account_witness_vote: () => {
      const account = this.#anyone();
      return { signer: this.#active(account), fee: FREE, account, witness: this.#witness(), approve: this.#dice.chance(70) };
    },
    account_witness_proxy: () => {
      const account = this.#anyone();
      return { signer: this.#active(account), fee: FREE, account, proxy: this.#dice.chance(40) ? '' : this.#anyone() };
    },
    witness_set_properties: () => {
      const owner = this.#witness();
      const key = this.#chain.pendingRows.get(witnesses, owner)?.signing_key ?? keyOf('nobody');
      const props = {
        key: this.#dice.chance(95) ? key : keyOf('nobody'),
        ...(this.#dice.chance(50) ? { maximum_block_size: 131_072 + this.#dice.roll(9999) } : {}),
        ...(this.#dice.chance(30) ? { new_signing_key: keyOf(this.#fresh()) } : {}),
        ...(this.#dice.chance(30) ? { exchange_rates: [this.#rate()] } : {}),
        ...(this.#dice.chance(30) ? { account_creation_fee: '0.400000 COIN', url: 'there' } : {}),
      };
      return { signer: this.#labels.get(key) ?? 'nobody', fee: FREE, owner, props, extensions: [] };
    },
    custom: () => ({ ...this.#document(), data: Buffer.from(this.#payload()).toString('hex') }),
    custom_json: () => ({ ...this.#document(), json: this.#dice.chance(90) ? `"${this.#payload()}"` : this.#payload() }),
    custom_binary: () => ({ ...this.#document(), data: Buffer.from(this.#payload()).toString('hex') }),
    request_account_recovery: () => {
      const account_to_recover = this.#anyone();
      const partner = this.#chain.committed.get(accounts, account_to_recover)?.recovery_account ?? '';
      const recovery_account = this.#dice.chance(90) && partner !== '' ? partner : this.#witness();
      return {
        signer: this.#active(recovery_account),
        fee: FREE,
        recovery_account,
        account_to_recover,
        new_owner_authority: this.#authority(this.#dice.chance(10)),
        extensions: [],
      };
    },
    recover_account: () => {
      const requests = this.#chain.committed.rows(accountRecoveryRequests, { limit: 20 });
      const request = requests.length > 0 && this.#dice.chance(90) ? this.#dice.pick(requests) : undefined;
      const account_to_recover = request?.account_to_recover ?? this.#anyone();
      const [history] = this.#chain.committed.range(ownerAuthorityHistories.by_account, {
        from: [account_to_recover],
        to: [account_to_recover],
        limit: 1,
      });
      const offered = request?.new_owner_authority;
      const recent = history?.previous_owner_authority ?? this.#chain.committed.get(accountAuthorities, account_to_recover)?.owner;
      const signer = [...new Set([this.#labelIn(offered), this.#labelIn(recent)])];
      return {
        signer,
        fee: FREE,
        account_to_recover,
        new_owner_authority: authorityJson(offered),
        recent_owner_authority: authorityJson(recent),
        extensions: [],
      };
    },
    change_recovery_account: () => {
      const account_to_recover = this.#anyone();
      return {
        signer: this.#owner(account_to_recover),
        fee: FREE,
        account_to_recover,
        new_recovery_account: this.#anyone(),
        extensions: [],
      };
    },
    escrow_transfer: () => {
      const [from, to, agent] = [this.#anyone(), this.#anyone(), this.#anyone()];
      const ratification_deadline = this.#chain.head.time + HOUR * this.#dice.roll(30);
      const ends = {
        ratification_deadline: timeText(ratification_deadline),
        escrow_expiration: timeText(ratification_deadline + HOUR * (1 + this.#dice.roll(30))),
      };
      return {
        signer: this.#active(from),
        fee: this.#baseFee(),
        from,
        to,
        coin_amount: this.#coins(),
        escrow_id: this.#dice.roll(4),
        agent,
        escrow_fee: this.#coins(10),
        json_meta: '',
        ...ends,
      };
    },
    escrow_dispute: () => {
      const parties = this.#escrow();
      const who = this.#dice.pick([parties.from, parties.to, parties.agent]);
      return { signer: this.#active(who), fee: this.#baseFee(), ...parties, who };
    },
    escrow_release: () => {
      const parties = this.#escrow();
      const who = this.#dice.pick([parties.from, parties.to, parties.agent]);
      const held = this.#chain.committed.get(escrows, { from: parties.from, escrow_id: parties.escrow_id })?.coin_balance ?? 0n;
      const all = `${held / 1_000_000n}.${String(held % 1_000_000n).padStart(6, '0')} COIN`;
      return {
        signer: this.#active(who),
        fee: this.#baseFee(),
        ...parties,
        who,
        receiver: this.#dice.pick([parties.from, parties.to]),
        coin_amount: this.#dice.chance(40) ? all : this.#coins(50),
      };
    },
    escrow_approve: () => {
      const parties = this.#escrow();
      const who = this.#dice.pick([parties.to, parties.agent]);
      return { signer: this.#active(who), fee: this.#baseFee(), ...parties, who, approve: this.#dice.chance(85) };
    },
    reset_account: () => {
      const account_to_reset = this.#anyone();
      const reset_account = this.#chain.committed.get(accounts, account_to_reset)?.reset_account ?? this.#anyone();
      return { signer: this.#active(reset_account), fee: FREE, reset_account, account_to_reset, new_owner_authority: this.#authority() };
    },
    set_reset_account: () => {
      const account = this.#anyone();
      const current_reset_account = this.#dice.chance(90)
        ? (this.#chain.committed.get(accounts, account)?.reset_account ?? '')
        : this.#dice.pick(['', 'bob']);
      return { signer: this.#owner(account), fee: FREE, account, current_reset_account, reset_account: this.#anyone() };
    },
    application_create: () => {
      const author = this.#anyone();
      return {
        signer: this.#active(author),
        fee: this.#baseFee(),
        author,
        name: `app${this.#dice.roll(6)}`,
        url: 'u',
        metadata: '',
        price_param: this.#dice.roll(3),
      };
    },
    application_update: () => {
      const { author, name } = this.#application();
      const changes = {
        ...(this.#dice.chance(40) ? { new_author: this.#anyone() } : {}),
        ...(this.#dice.chance(40) ? { price_param: this.#dice.roll(3) } : {}),
      };
      return { signer: this.#active(author), fee: this.#baseFee(), author, name, url: 'v', metadata: 'm', ...changes };
    },
    application_delete: () => {
      const { author, name } = this.#application();
      return { signer: this.#active(author), fee: this.#baseFee(), author, name };
    },
    buy_application: () => {
      const buyer = this.#anyone();
      return { signer: this.#active(buyer), fee: this.#baseFee(), buyer, app_id: this.#application().id };
    },
    cancel_application_buying: () => {
      const [buying] = this.#dice.shuffle(this.#chain.committed.rows(applicationBuyings, { limit: 20 }));
      const { author: app_owner, id } = this.#application(buying?.app_id);
      return { signer: this.#active(app_owner), fee: this.#baseFee(), app_owner, buyer: buying?.buyer ?? this.#anyone(), app_id: id };
    },
    transfer_from_promotion_pool: () => ({
      signer: this.#active('initminer'),
      fee: FREE,
      transfer_to: this.#anyone(),
      amount: this.#coins(100),
      extensions: [],
    }),
    sponsor_fees: () => {
      const sponsored = this.#anyone();
      const sponsor = this.#dice.chance(20) ? '' : this.#anyone();
      return {
        signer: this.#active(sponsor === '' ? sponsored : sponsor),
        fee: FREE,
        sponsor,
        sponsored,
        is_sponsoring: this.#dice.chance(60),
      };
    },
    admin_witness_update: () => {
      const label = this.#fresh();
      return {
        signer: this.#active('initminer'),
        fee: FREE,
        owner: this.#anyone(),
        url: 'u',
        block_signing_key: keyTextOf(label),
        props: this.#properties(),
      };
    },
  };
}

function authorityJson(value: Authority | undefined): Json {
  return authority.toJson(value ?? { weight_threshold: 1, account_auths: [], key_auths: [] }, notation);
}

function nullKeyText(): string {
  return `${notation.keyPrefix}1111111111111111111111111111111114T1Anm`;
}
