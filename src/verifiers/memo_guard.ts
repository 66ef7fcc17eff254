import { assert, present } from '../base/assert.ts';
import { unlessRefused } from '../base/refusal.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import { secretOfSeed } from '../crypto/brain_key.ts';
import { KeySearch, MOST_WIFS, SHORTEST_SPELLING } from '../crypto/leaked_keys.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import { passwordKeyEnds, secretKeyEnds, type Password } from '../crypto/password_keys.ts';
import { actingAccounts, operationBody, type FreeText, type Operation } from '../operations/operation.ts';
import { transfer } from '../operations/transfer.ts';
import { refuseBroadcast } from '../rpc/broadcast_refusals.ts';
import { accounts, type Account } from '../state/tables/account.ts';
import { accountAuthorities, type AccountAuthority } from '../state/tables/account_authority.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { sentFailure } from '../system/sent_refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import { namesKey } from '../values/authority.ts';
import { MAX_MEMO_BYTES } from '../values/limits.ts';
import type { PublicKey } from '../values/public_key.ts';

/** The roles that the lineage tries a memo with; the memo key's role isn't one of them. */
const ROLES = ['owner', 'active', 'posting'];
/** Cached memos, at most 2 KiB each: a sender of many payments often uses the same memo for all. */
const MOST_REMEMBERED = 1000;

/** Keys that a text must not reveal. */
interface Secrecy {
  /** Whose keys they are; '' for those that signed. */
  readonly name: AccountName;
  /** The last eight digits of each, as numbers. */
  readonly keyEnds: readonly number[];
  /** Refuses a text that reveals this key, if it is one of them. */
  refuse(key: PublicKey, member: string): void;
}

/** An account, and what it has at the head. */
interface Sender extends Secrecy {
  readonly authorities: AccountAuthority;
}

/** A text that might reveal a private key of its sender. */
export interface SentMemo {
  readonly sender: Secrecy;
  /** The member of the operation that holds it. */
  readonly member: string;
  readonly text: string;
  /** The keys that stand in the text. */
  readonly secrets: readonly Uint8Array[];
  /** True if the text is a memo, which people mistake for the field of their password. */
  readonly mayBePassword: boolean;
  /** Ends of the keys that the text makes as a password, and of those that stand in it; `prepare` finds them. */
  passwordEnds: readonly number[] | undefined;
  spelledEnds: Uint32Array | undefined;
}

type Sent = Pick<VerifiedTransaction, 'transaction' | 'signers'>;

/**
 * Prevents senders from publishing their private keys (chain_rules.md#leaked-keys). Applies only to what clients send
 * to this node: a block may contain such a text. Keys are looked for in every member that holds text of the sender's
 * choice, as its declaration says; passwords in memos alone. Telling whether a memo is a password requires deriving the
 * keys, so every memo costs three derivations. Those of a batch are done together (crypto/password_keys.ts), as far as
 * needed to rule out the sender's keys; full keys only on a match.
 */
export class MemoGuard {
  readonly #rows: CommittedRows;
  readonly #isOn: boolean;
  /**
   * Ends of the keys derived from a sender's memo, by sender, then by memo; of those that are being derived still
   * empty.
   */
  readonly #remembered = new Map<AccountName, Map<string, number[]>>();
  #rememberedCount = 0;
  /** The senders of the current batch. */
  #senders = new Map<AccountName, Sender | undefined>();

  /** A guard that is not on finds nothing to check. */
  constructor(rows: CommittedRows, isOn = true) {
    this.#rows = rows;
    this.#isOn = isOn;
  }

  /**
   * Begins a batch: rows read for the previous one may have changed. With a new map, because V8 copies what an old one
   * held as long as it has not collected its old values (bench/tried.md).
   */
  begin(batch: readonly Sent[]): void {
    this.#senders = new Map();
    if (!this.#isOn) return;
    try {
      this.#readAhead(batch);
    } catch (error) {
      // The transaction that caused this fails alone, when `memosOf` reads its senders.
      sentFailure(error);
    }
  }

  /** Reads the senders of a batch in two look-ups; one by one they took a verifier longer (bench/tried.md). */
  #readAhead(batch: readonly Sent[]): void {
    const asked = new Set<AccountName>();
    for (const { transaction } of batch)
      for (const operation of transaction.operations)
        if (searchedTexts(operation).length > 0)
          for (const name of unlessRefused(() => actingAccounts(operation)) ?? []) asked.add(name);
    const names = [...asked];
    const authorities = this.#rows.getManyCached(accountAuthorities, names);
    const rows = this.#rows.getManyCached(accounts, names);
    for (const [index, name] of names.entries())
      this.#senders.set(name, senderOf(name, rows[index], authorities[index]));
  }

  /**
   * The texts of a transaction that have to be checked: a transaction that the chain refuses anyway must cost no more
   * than verifying its signatures. Refuses texts that hold many keys, whosever they are: nobody means to publish a
   * wallet.
   */
  memosOf({ transaction, signers }: Sent): SentMemo[] {
    const memos: SentMemo[] = [];
    if (!this.#isOn) return memos;
    let search: KeySearch | undefined;
    for (const operation of transaction.operations) {
      const texts = searchedTexts(operation);
      if (texts.length === 0) continue;
      const isTransfer = operation.kind === transfer;
      search ??= new KeySearch();
      const acting = this.#actingSenders(operation, signers);
      // Keys that an account gets by a transaction that no block has yet are known by what they sign.
      const signing = signingKeys(signers, acting);
      const senders: readonly Secrecy[] = signing === undefined ? acting : [...acting, signing];
      if (senders.length === 0) continue;
      for (const { member, text } of texts) {
        const secrets = search.secretsIn(text);
        for (const sender of senders) {
          const mayBePassword = isTransfer && isMemo(text) && sender !== signing;
          if (!mayBePassword && secrets.length === 0) continue;
          memos.push({ sender, member, text, secrets, mayBePassword, passwordEnds: undefined, spelledEnds: undefined });
        }
      }
    }
    if (search?.holdsTooMany === true) refuseBroadcast.memo_holds_keys({ limit: MOST_WIFS });
    return memos;
  }

  /** The accounts that an operation needs, as far as the signers can act for them. */
  #actingSenders(operation: Operation, signers: VerifiedTransaction['signers']): Sender[] {
    return actingAccounts(operation).flatMap((name) => {
      const sender = this.#senderNamed(name);
      return sender !== undefined && canAct(sender.authorities, signers) ? [sender] : [];
    });
  }

  /** Derives the key ends that `check` compares, for all memos of a batch at once. */
  prepare(memos: readonly SentMemo[]): void {
    this.#preparePasswords(memos.filter(({ mayBePassword }) => mayBePassword));
    const spelling = memos.filter(({ secrets }) => secrets.length > 0);
    const ends = secretKeyEnds(spelling.flatMap(({ secrets }) => secrets));
    let at = 0;
    for (const memo of spelling) memo.spelledEnds = ends.subarray(at, (at += memo.secrets.length));
  }

  #preparePasswords(memos: readonly SentMemo[]): void {
    const passwords: Password[] = [];
    const unknown: number[][] = [];
    for (const memo of memos) {
      const { sender, text } = memo;
      const known = this.#remembered.get(sender.name)?.get(text);
      memo.passwordEnds = known ?? this.#rememberSuspects(sender.name, text, unknown);
      if (known === undefined) passwords.push({ account: sender.name, text });
    }
    const ends = passwords.length === 0 ? [] : passwordKeyEnds(passwords, ROLES);
    passwords.forEach((_, index) => {
      const keyEnds = present(unknown[index], 'a list for each');
      for (let role = 0; role < ROLES.length; role++)
        keyEnds.push(present(ends[index * ROLES.length + role], 'an end for each role'));
    });
  }

  /**
   * A list for the key ends of a new memo, which is remembered at once, so that the same memo again is derived once.
   */
  #rememberSuspects(name: AccountName, text: string, unknown: number[][]): number[] {
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

  /**
   * Refuses a text that reveals a key that its sender has at the head, or that signed; `prepare` must have been called
   * with it.
   */
  check(memo: SentMemo): void {
    const { sender, member, text } = memo;
    const suspects = listSuspects(memo);
    if (suspects.length === 0) return;
    // This memo is almost certainly a secret, so it must not stay in the cache.
    this.#remembered.get(sender.name)?.delete(text);
    for (const key of suspects.flatMap(derivePublicKeys)) sender.refuse(key, member);
  }

  #senderNamed(name: AccountName): Sender | undefined {
    if (!this.#senders.has(name)) this.#senders.set(name, this.#readSender(name));
    return this.#senders.get(name);
  }

  #readSender(name: AccountName): Sender | undefined {
    return senderOf(name, this.#rows.get(accounts, name), this.#rows.get(accountAuthorities, name));
  }
}

const NO_TEXTS: readonly FreeText[] = [];

/** The texts that can hold a key, and memos, which can be a password. Short ones cost their sender no look-up. */
function searchedTexts(operation: Operation): readonly FreeText[] {
  const payment = operationBody(transfer, operation);
  // Most payments have no memo.
  if (operation.kind.textMembers.length === 0 || payment?.memo === '') return NO_TEXTS;
  return operation
    .freeTexts()
    .filter(({ text }) => (payment !== undefined && isMemo(text)) || text.length >= SHORTEST_SPELLING);
}

function senderOf(
  name: AccountName,
  account: Account | undefined,
  authorities: AccountAuthority | undefined,
): Sender | undefined {
  if (account === undefined || authorities === undefined) return undefined;
  return { ...secrecyOf(name, account, authorities), authorities };
}

function secrecyOf(name: AccountName, { memo_key }: Account, { owner, active }: AccountAuthority): Secrecy {
  const named = [owner, active].flatMap(({ key_auths }) => key_auths.map(([key]) => key));
  return {
    name,
    keyEnds: [...named, memo_key].map(lastBytes),
    refuse: (key, member) => {
      if (namesKey(owner, key)) refuseBroadcast.memo_is_owner_key({ account: name, member });
      if (namesKey(active, key)) refuseBroadcast.memo_is_active_key({ account: name, member });
      if (memo_key === key) refuseBroadcast.memo_is_memo_key({ account: name, member });
    },
  };
}

/** Those signers that are keys of none of these senders; undefined where there are none. */
function signingKeys(signers: VerifiedTransaction['signers'], senders: readonly Sender[]): Secrecy | undefined {
  const isSenders = (key: PublicKey): boolean => senders.some(({ authorities }) => canSign(authorities, key));
  const keys = signers.filter((key) => key !== undefined).filter((key) => !isSenders(key));
  if (keys.length === 0) return undefined;
  return {
    name: '',
    keyEnds: keys.map(lastBytes),
    refuse: (key, member) => {
      if (keys.includes(key)) refuseBroadcast.memo_is_signing_key({ member });
    },
  };
}

/** Returns whether a memo can be one: the chain refuses longer ones. */
function isMemo(text: string): boolean {
  return text !== '' && text.length < MAX_MEMO_BYTES;
}

/** The secrets whose public keys end as keys of the sender do: only these are worth a whole derivation. */
function listSuspects({ sender, text, secrets, mayBePassword, passwordEnds, spelledEnds }: SentMemo): Uint8Array[] {
  const { name, keyEnds } = sender;
  assert((passwordEnds?.length === ROLES.length) === mayBePassword, 'the keys of each memo are derived');
  assert(spelledEnds?.length === secrets.length || secrets.length === 0, 'the keys in each text are derived');
  const spelled = secrets.filter((_, index) => keyEnds.includes(spelledEnds?.[index] ?? -1));
  const roles = ROLES.filter((_, index) => keyEnds.includes(passwordEnds?.[index] ?? -1));
  return [...spelled, ...roles.map((role) => secretOfSeed(name + role + text))];
}

/** The public key of a secret; none when the secret is out of range. */
function derivePublicKeys(secret: Uint8Array): PublicKey[] {
  const key = derivePublicKey(secret);
  return key === undefined ? [] : [Buffer.from(key).toString('hex')];
}

/** The same number that `passwordKeyEnds` computes for a key. */
function lastBytes(key: PublicKey): number {
  return Number.parseInt(key.slice(-8), 16);
}

function canAct(authorities: AccountAuthority, signers: VerifiedTransaction['signers']): boolean {
  const { owner, active } = authorities;
  if ([owner, active].some(({ account_auths }) => account_auths.length > 0)) return true;
  return signers.some((key) => key !== undefined && canSign(authorities, key));
}

function canSign({ owner, active }: AccountAuthority, key: PublicKey): boolean {
  return namesKey(owner, key) || namesKey(active, key);
}
