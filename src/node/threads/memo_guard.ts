import { assert, present } from '../../base/assert.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { SHORTEST_SPELLING, secretsIn, spelledSecretsIn } from '../../crypto/leaked_keys.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import { passwordKeyEnds, type Password } from '../../crypto/password_keys.ts';
import type { Operation } from '../../operations/operation.ts';
import { transfer } from '../../operations/transfer.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { accountAuthorities, type AccountAuthority } from '../../state/tables/account_authority.ts';
import type { RowReader } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import { namesKey } from '../../values/authority.ts';
import { MAX_MEMO_BYTES } from '../../values/limits.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** The roles that the lineage tries a memo with; the memo key's role isn't one of them. */
const ROLES = ['owner', 'active', 'posting'];
/** Cached memos, at most 2 KiB each: a sender of many payments often uses the same memo for all. */
const MOST_REMEMBERED = 1000;

interface Sender {
  readonly name: AccountName;
  readonly account: Account;
  readonly authorities: AccountAuthority;
  /** The last eight digits of each of its keys, as numbers. */
  readonly keyEnds: ReadonlySet<number>;
}

/** A text that might reveal a private key of its sender. */
export interface SentMemo {
  readonly sender: Sender;
  /** The member of the operation that holds it. */
  readonly member: string;
  readonly text: string;
  /** Whether the text is a memo, which people mistake for the field of their password. */
  readonly mayBePassword: boolean;
  /** Ends of the keys that the text spells out or is the password of; found by `prepare`. */
  keyEnds: readonly number[] | undefined;
}

type Sent = Pick<VerifiedTransaction, 'transaction' | 'signers'>;

/**
 * Prevents senders from publishing their private keys (chain.md 14.3). Applies only to what clients send to this node: a block may
 * contain such a text. Keys are looked for in every member that holds text of the sender's choice, as its declaration says; passwords in
 * memos alone. Telling whether a memo is a password requires deriving the keys, so every memo costs three derivations. Those of
 * a batch are done together (crypto/password_keys.ts), as far as needed to rule out the sender's keys; full keys only on a match.
 */
export class MemoGuard {
  readonly #rows: RowReader;
  readonly #isOn: boolean;
  /** Ends of the keys derived from a sender's memo, by sender, then by memo; of those that are being derived still empty. */
  readonly #remembered = new Map<AccountName, Map<string, number[]>>();
  #rememberedCount = 0;
  /** The senders of the current batch. */
  readonly #senders = new Map<AccountName, Sender | undefined>();

  /** A guard that is not on finds nothing to check. */
  constructor(rows: RowReader, isOn = true) {
    this.#rows = rows;
    this.#isOn = isOn;
  }

  /** Begins a batch: rows read for the previous one may have changed. */
  begin(): void {
    this.#senders.clear();
  }

  /** The memos of a transaction that have to be checked: a transaction that the chain refuses anyway must cost no more than verifying its signatures. */
  memosOf({ transaction, signers }: Sent): SentMemo[] {
    const memos: SentMemo[] = [];
    if (!this.#isOn) return memos;
    for (const operation of transaction.operations) {
      const mayBePassword = operation.kind === transfer;
      const texts = operation.freeTexts().filter(({ text }) => (mayBePassword ? isMemo(text) : text.length >= SHORTEST_SPELLING));
      if (texts.length === 0) continue;
      for (const name of sendersOf(operation)) {
        const sender = this.#senderNamed(name);
        if (sender === undefined || !canAct(sender.authorities, signers)) continue;
        for (const { member, text } of texts) memos.push({ sender, member, text, mayBePassword, keyEnds: undefined });
      }
    }
    return memos;
  }

  /** Derives the key ends that `check` compares, for all memos of a batch at once. */
  prepare(memos: readonly SentMemo[]): void {
    const passwords: Password[] = [];
    const unknown: number[][] = [];
    for (const memo of memos) {
      const { sender, text } = memo;
      if (!memo.mayBePassword) {
        memo.keyEnds = spelledKeyEnds(text);
        continue;
      }
      const known = this.#remembered.get(sender.name)?.get(text);
      memo.keyEnds = known ?? this.#rememberedFrom(sender.name, text, unknown);
      if (known === undefined) passwords.push({ account: sender.name, text });
    }
    const ends = passwords.length === 0 ? [] : passwordKeyEnds(passwords, ROLES);
    passwords.forEach(({ text }, index) => {
      const keyEnds = present(unknown[index], 'a list for each');
      for (let role = 0; role < ROLES.length; role++) keyEnds.push(present(ends[index * ROLES.length + role], 'an end for each role'));
      keyEnds.push(...spelledKeyEnds(text));
    });
  }

  /** A list for the key ends of a new memo, which is remembered at once, so that the same memo again is derived once. */
  #rememberedFrom(name: AccountName, text: string, unknown: number[][]): number[] {
    const keyEnds: number[] = [];
    unknown.push(keyEnds);
    if (this.#rememberedCount >= MOST_REMEMBERED) this.#forget();
    this.#rememberedCount++;
    const ofSender = this.#remembered.get(name);
    if (ofSender === undefined) this.#remembered.set(name, new Map([[text, keyEnds]]));
    else ofSender.set(text, keyEnds);
    return keyEnds;
  }

  #forget(): void {
    this.#remembered.clear();
    this.#rememberedCount = 0;
  }

  /** Refuses a text that reveals a key that its sender has at the head; `prepare` must have been called with it. */
  check({ sender, member, text, mayBePassword, keyEnds }: SentMemo): void {
    assert(keyEnds !== undefined && (!mayBePassword || keyEnds.length >= ROLES.length), 'the keys of each memo are derived');
    if (!keyEnds.some((end) => sender.keyEnds.has(end))) return;
    const { name, account, authorities } = sender;
    // This memo is almost certainly a secret, so it must not stay in the cache.
    this.#remembered.get(name)?.delete(text);
    for (const key of secretsIn(text, name, mayBePassword ? ROLES : []).flatMap(publicKeysOf)) {
      if (namesKey(authorities.owner, key)) refuseBroadcast.memo_is_owner_key({ account: name, member });
      if (namesKey(authorities.active, key)) refuseBroadcast.memo_is_active_key({ account: name, member });
      if (account.memo_key === key) refuseBroadcast.memo_is_memo_key({ account: name, member });
    }
  }

  #senderNamed(name: AccountName): Sender | undefined {
    if (!this.#senders.has(name)) this.#senders.set(name, this.#readSender(name));
    return this.#senders.get(name);
  }

  #readSender(name: AccountName): Sender | undefined {
    const account = this.#rows.get(accounts, name);
    const authorities = this.#rows.get(accountAuthorities, name);
    if (account === undefined || authorities === undefined) return undefined;
    const named = [authorities.owner, authorities.active].flatMap(({ key_auths }) => key_auths.map(([key]) => key));
    return { name, account, authorities, keyEnds: new Set([...named, account.memo_key].map(endOf)) };
  }
}

/** Whether a memo can be one: the chain refuses longer ones. */
function isMemo(text: string): boolean {
  return text !== '' && text.length < MAX_MEMO_BYTES;
}

/** The accounts whose authority the operation needs; where it needs a key alone, the one that pays. */
function sendersOf(operation: Operation): ReadonlySet<AccountName> {
  const { active = [], owner = [] } = operation.authorities();
  return new Set([...active, ...owner, ...(active.length + owner.length === 0 ? [operation.feeAccount()] : [])]);
}

function spelledKeyEnds(text: string): number[] {
  return spelledSecretsIn(text).flatMap(publicKeysOf).map(endOf);
}

/** The public key of a secret; none when the secret is out of range. */
function publicKeysOf(secret: Uint8Array): PublicKey[] {
  const key = publicKeyOf(secret);
  return key === undefined ? [] : [Buffer.from(key).toString('hex')];
}

/** The same number that `passwordKeyEnds` computes for a key. */
function endOf(key: PublicKey): number {
  return Number.parseInt(key.slice(-8), 16);
}

function canAct({ owner, active }: AccountAuthority, signers: VerifiedTransaction['signers']): boolean {
  const both = [owner, active];
  if (both.some(({ account_auths }) => account_auths.length > 0)) return true;
  return signers.some((key) => key !== undefined && both.some((authority) => namesKey(authority, key)));
}
