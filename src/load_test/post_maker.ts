import { present } from '../base/assert.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { payloadFees } from './fees.ts';
import { blockReference } from '../values/block_reference.ts';
import type { Profile } from '../values/profile.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { Chance } from './chance.ts';
import type { AskedMethod, AskedOperation, Form, Mix } from './mix.ts';
import { kindsOfWitnesses, operationMakers } from './operation_makers.ts';
import { signBatch, type Signable, type Signed } from './sign_batch.ts';
import type { TrafficPost } from './traffic_post.ts';

/** An account that a load sends from, with as many secrets as have to sign for it. */
export interface LoadAccount {
  readonly name: string;
  readonly secrets: readonly Uint8Array[];
  /** An active witness, who may send what only witnesses may. */
  readonly isWitness: boolean;
  /** The secret is that of another account, which acts for this one. */
  readonly isActedFor?: boolean | undefined;
}

/** All that posts are made of. */
export interface PostMakerSettings {
  readonly mix: Mix;
  readonly profileName: string;
  readonly chainId: string;
  readonly accounts: readonly LoadAccount[];
  /** The fee of each kind, in millionths; of kinds with a payload for the smallest one. */
  readonly fees: Readonly<Record<string, bigint>>;
  /** For whom votes are. */
  readonly witness: string;
  readonly seed: number;
  /** This maker's numbers are `first`, `first + step`, …: no two makers have one in common. */
  readonly first: number;
  readonly step: number;
}

/** The block that transactions refer to; it moves on with the chain. */
export interface Reference {
  readonly blockId: string;
  /** Seconds since 1970. */
  readonly headTime: number;
  /** When transactions expire. */
  readonly expiration: number;
}

/**
 * Expirations of an account's transactions differ by up to so many seconds, so that equal operations are different
 * transactions.
 */
const SPREAD_SECONDS = 256;
const ALIKE = 'the same in each of them ';

/** Makes the posts of a mix, one after the other. */
export class PostMaker {
  readonly #settings: PostMakerSettings;
  readonly #profile: Profile;
  readonly #encoding: EncodingOptions;
  readonly #chance: Chance;
  readonly #makers: readonly FormMaker[];
  #number: number;

  constructor(settings: PostMakerSettings) {
    this.#settings = settings;
    this.#profile = profileNamed(settings.profileName);
    this.#encoding = { ...this.#profile, dialect: 'default', operationForm: 'pair' };
    this.#chance = new Chance(settings.seed + settings.first);
    this.#number = settings.first;
    let bound = 0;
    this.#makers = settings.mix.forms.map((form, index) => {
      // A form is drawn as often as posts of it are needed.
      bound += form.share / form.batch;
      return { form, index, bound, senders: formSenders(form, settings.accounts), made: 0 };
    });
  }

  /** Posts with that many calls or a few more. */
  make(calls: number, reference: Reference): TrafficPost[] {
    const drafts: Draft[] = [];
    for (let made = 0; made < calls; made += drafts.at(-1)?.calls.length ?? calls) drafts.push(this.#draft(reference));
    const unsigned = drafts.flatMap((draft) => draft.calls.filter((call) => 'unsigned' in call));
    const signed = signBatch(this.#settings.chainId, unsigned, this.#profile).values();
    return drafts.map((draft) => this.#post(draft, signed, reference));
  }

  #draft(reference: Reference): Draft {
    const maker = this.#drawForm();
    const { form } = maker;
    return {
      form,
      index: maker.index,
      calls: Array.from({ length: form.batch }, () => this.#call(maker, form, reference)),
    };
  }

  /** Takes as many of the signed transactions as the draft has. */
  #post({ form, index, calls }: Draft, signed: Iterator<Signed, undefined>, { expiration }: Reference): TrafficPost {
    const ids: string[] = [];
    const texts = calls.map((call, id) => {
      if ('method' in call) return callText(id, call.method, call.params);
      const { transaction, id: transactionId } = present(signed.next().value, 'a signed transaction');
      ids.push(transactionId);
      return this.#broadcast(id, call.asked, transaction);
    });
    const text = form.batch === 1 ? texts.join('') : `[${texts.join(',')}]`;
    return {
      body: Uint8Array.from(Buffer.from(text)),
      count: calls.length,
      form: index,
      ids: Uint8Array.from(Buffer.from(ids.join(''), 'hex')),
      expiration,
    };
  }

  #drawForm(): FormMaker {
    const all = this.#makers.at(-1)?.bound ?? 0;
    const drawn = this.#chance.next() * all;
    return present(this.#makers.find(({ bound }) => drawn < bound) ?? this.#makers.at(-1), 'a form of the mix');
  }

  #call(maker: FormMaker, { asks }: Form, reference: Reference): DraftCall {
    return 'method' in asks ? this.#read(asks) : this.#transaction(maker, asks, reference);
  }

  #read({ method, params }: AskedMethod): DraftCall {
    const { accounts } = this.#settings;
    const text = writeJson(params).replaceAll(
      '{account}',
      () => present(accounts[this.#chance.whole(0, accounts.length - 1)], 'an account').name,
    );
    return { method, params: text };
  }

  #transaction(maker: FormMaker, asked: AskedOperation, reference: Reference): DraftCall {
    const { first, step } = this.#settings;
    const number = (this.#number += step);
    // Of all makers together the how-manieth of this form.
    const turn = first + step * maker.made++;
    const sender = present(maker.senders[turn % maker.senders.length], 'an account that sends this');
    const spread = Math.min(SPREAD_SECONDS, Math.ceil((reference.expiration - reference.headTime) / 2));
    const operations = Array.from({ length: asked.operations }, () =>
      this.#operations(sender, asked, number, reference),
    ).flat();
    const unsigned: SignedTransaction = {
      ...blockReference(reference.blockId),
      expiration: reference.expiration - (Math.trunc(turn / maker.senders.length) % spread),
      operations,
      extensions: [],
      signatures: [],
    };
    return { asked, unsigned, secrets: sender.secrets };
  }

  #broadcast(id: number, { waitFor, members }: AskedOperation, signed: SignedTransaction): string {
    const json: Json = signedTransaction.toJson(signed, this.#encoding);
    const trx = members === 'any' ? shuffledJson(json, this.#chance) : writeJson(json);
    const method = waitFor === 'accepted' ? 'broadcast_transaction' : 'broadcast_transaction_synchronous';
    // Nodes of earlier versions wait for the block, and know no such param.
    const wait = waitFor === 'final' ? ',"wait_for":"final"' : '';
    return callText(id, `network_broadcast_api.${method}`, `{"trx":${trx}${wait}}`);
  }

  #operations(
    sender: LoadAccount,
    asked: AskedOperation,
    number: number,
    { headTime }: Reference,
  ): SignedTransaction['operations'] {
    const { coinSymbol: symbol } = this.#profile;
    const text = this.#text(asked);
    const { fees, witness, seed } = this.#settings;
    const fee = { amount: payloadFees(asked.operation, fees[asked.operation] ?? 0n, text.length), symbol };
    const [to, third] = this.#receivers(sender, asked, number);
    const make = present(operationMakers[asked.operation], 'a kind of the mix');
    return [
      ...make({
        from: sender.name,
        to,
        third,
        number,
        unique: (seed + number) >>> 0,
        symbol,
        fee,
        text,
        time: headTime,
        witness,
      }),
    ];
  }

  /** Two others than the sender, as far as there are that many. */
  #receivers({ name }: LoadAccount, { recipients }: AskedOperation, number: number): [string, string] {
    const { accounts } = this.#settings;
    const among = recipients === 0 ? accounts.length : Math.min(recipients, accounts.length);
    const start = (Math.trunc(number / accounts.length) + number) % among;
    const others: string[] = [];
    for (let step = 0; step < among && others.length < 2; step++) {
      const other = present(accounts[(start + step) % among], 'an account').name;
      if (other !== name) others.push(other);
    }
    const [first = name, second = first] = others;
    return [first, second];
  }

  #text({ bytes: [least, most], likeness }: AskedOperation): string {
    const length = this.#chance.whole(least, most);
    const alike = Math.round(length * likeness);
    return ALIKE.repeat(Math.ceil(alike / ALIKE.length)).slice(0, alike) + this.#chance.letters(length - alike);
  }
}

/** A form with what its next post needs. */
interface FormMaker {
  readonly form: Form;
  readonly index: number;
  /** Up to which drawn number it is this form. */
  readonly bound: number;
  readonly senders: readonly LoadAccount[];
  /** Transactions so far. */
  made: number;
}

/** A post before its transactions are signed. */
interface Draft {
  readonly form: Form;
  /** The form's place in the mix. */
  readonly index: number;
  readonly calls: readonly DraftCall[];
}

type DraftCall = { readonly method: string; readonly params: string } | (Signable & { readonly asked: AskedOperation });

function callText(id: number, method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

/** The accounts that can send this form. */
export function formSenders({ asks }: Form, accounts: readonly LoadAccount[]): readonly LoadAccount[] {
  if ('method' in asks) return accounts;
  const forWitnesses = kindsOfWitnesses.includes(asks.operation);
  const byAccount = asks.authority === 'account';
  return accounts.filter(
    ({ secrets, isWitness, isActedFor = false }) =>
      secrets.length === asks.signers && isActedFor === byAccount && (isWitness || !forWitnesses),
  );
}

/**
 * The text of a JSON value whose objects have their members in a random order. Clients write JSON as they like, so a
 * load is not written by the writer of the node that it measures.
 */
function shuffledJson(json: Json, chance: Chance): string {
  if (Array.isArray(json)) return `[${json.map((element) => shuffledJson(element, chance)).join(',')}]`;
  if (typeof json === 'bigint') return json.toString();
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const members = chance
    .shuffle(Object.keys(json))
    .map((name) => `${JSON.stringify(name)}:${shuffledJson(json[name] ?? null, chance)}`);
  return `{${members.join(',')}}`;
}
