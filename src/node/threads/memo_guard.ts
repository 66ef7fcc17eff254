import type { ProvedTransaction } from '../../blocks/transaction.ts';
import { secretsIn, spelledSecretsIn } from '../../crypto/leaked_keys.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import { passwordKeyEnds } from '../../crypto/password_keys.ts';
import { bodyOf } from '../../operations/operation.ts';
import { transfer } from '../../operations/transfer.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { accountAuthorities, type AccountAuthority } from '../../state/tables/account_authority.ts';
import type { RowReader } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import { namesKey } from '../../values/authority.ts';
import { MAX_MEMO_BYTES } from '../../values/limits.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** What the lineage tries a memo with; the role of the memo key is not among them. */
const ROLES = ['owner', 'active', 'posting'];
/** Memos that are remembered, 2 KiB at the most each: who pays many people often writes the same to all of them. */
const MOST_REMEMBERED = 1000;

interface Sender {
  readonly name: AccountName;
  readonly account: Account;
  readonly authorities: AccountAuthority;
  /** The last eight digits of each of its keys, as numbers. */
  readonly keyEnds: ReadonlySet<number>;
}

/** A memo that might give a key of its sender away. */
export interface SentMemo {
  readonly sender: Sender;
  readonly text: string;
  /** Of the keys that it makes or spells; found by `prepare`. */
  keyEnds: readonly number[];
}

type Sent = Pick<ProvedTransaction, 'transaction' | 'signers'>;

/**
 * Keeps senders from publishing their private keys (chain.md 14.3). Only for what clients send to this node: a block may hold such a
 * memo. Whether a memo is a password nobody can tell without making the keys, so every memo costs three of them. Those of a batch are
 * made together (crypto/password_keys.ts), as far as tells them from the sender's; only where that fails the keys are made whole.
 */
export class MemoGuard {
  readonly #rows: RowReader;
  /** Ends of the keys that a memo of somebody makes. */
  readonly #remembered = new Map<string, readonly number[]>();
  /** Of the batch. */
  readonly #senders = new Map<AccountName, Sender | undefined>();

  constructor(rows: RowReader) {
    this.#rows = rows;
  }

  /** Begins a batch: what was read for the one before may have changed. */
  begin(): void {
    this.#senders.clear();
  }

  /** The memos of a transaction that have to be checked: what the chain refuses anyway must not cost more than its proof. */
  memosOf({ transaction, signers }: Sent): SentMemo[] {
    const memos: SentMemo[] = [];
    for (const operation of transaction.operations) {
      const body = bodyOf(transfer, operation);
      if (body === undefined || body.memo === '' || body.memo.length >= MAX_MEMO_BYTES) continue;
      const sender = this.#senderNamed(body.from);
      if (sender !== undefined && canAct(sender.authorities, signers)) memos.push({ sender, text: body.memo, keyEnds: [] });
    }
    return memos;
  }

  /** Makes what `check` compares, for all memos of a batch at once. */
  prepare(memos: readonly SentMemo[]): void {
    const unknown = new Map<string, SentMemo[]>();
    for (const memo of memos) {
      const named = `${memo.sender.name} ${memo.text}`;
      const known = this.#remembered.get(named);
      if (known !== undefined) memo.keyEnds = known;
      else if (unknown.get(named)?.push(memo) === undefined) unknown.set(named, [memo]);
    }
    if (unknown.size > 0) this.#derive(unknown);
  }

  #derive(unknown: ReadonlyMap<string, readonly SentMemo[]>): void {
    const passwords = Array.from(unknown.values(), ([first]) => ({ account: first?.sender.name ?? '', text: first?.text ?? '' }));
    const ends = passwordKeyEnds(passwords, ROLES);
    let at = 0;
    for (const [named, memos] of unknown) {
      const spelled = spelledSecretsIn(memos[0]?.text ?? '').flatMap(publicKeysOf);
      const keyEnds = [...ends.subarray(at, (at += ROLES.length)), ...spelled.map(endOf)];
      for (const memo of memos) memo.keyEnds = keyEnds;
      this.#remember(named, keyEnds);
    }
  }

  #remember(named: string, keyEnds: readonly number[]): void {
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(named, keyEnds);
  }

  /** Refuses a memo that gives away a key which its sender has at the head; `prepare` has seen it. */
  check({ sender, text, keyEnds }: SentMemo): void {
    if (!keyEnds.some((end) => sender.keyEnds.has(end))) return;
    const { name, account, authorities } = sender;
    // What is as good as found is a secret and is not kept.
    this.#remembered.delete(`${name} ${text}`);
    for (const key of secretsIn(text, name, ROLES).flatMap(publicKeysOf)) {
      if (namesKey(authorities.owner, key)) refuseBroadcast.memo_is_owner_key({ account: name });
      if (namesKey(authorities.active, key)) refuseBroadcast.memo_is_active_key({ account: name });
      if (account.memo_key === key) refuseBroadcast.memo_is_memo_key({ account: name });
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

/** None when the secret is out of range. */
function publicKeysOf(secret: Uint8Array): PublicKey[] {
  const key = publicKeyOf(secret);
  return key === undefined ? [] : [Buffer.from(key).toString('hex')];
}

/** The number that `passwordKeyEnds` gives for a key. */
function endOf(key: PublicKey): number {
  return Number.parseInt(key.slice(-8), 16);
}

function canAct({ owner, active }: AccountAuthority, signers: ProvedTransaction['signers']): boolean {
  const both = [owner, active];
  if (both.some(({ account_auths }) => account_auths.length > 0)) return true;
  return signers.some((key) => key !== undefined && both.some((authority) => namesKey(authority, key)));
}
