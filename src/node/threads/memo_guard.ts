import type { ProvedTransaction } from '../../blocks/transaction.ts';
import { secretsIn } from '../../crypto/leaked_keys.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import { bodyOf } from '../../operations/operation.ts';
import { transfer } from '../../operations/transfer.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import { accounts, type Account } from '../../state/tables/account.ts';
import { accountAuthorities, type AccountAuthority } from '../../state/tables/account_authority.ts';
import type { RowReader } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import { namesKey } from '../../values/authority.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** What the lineage tries a memo with; the role of the memo key is not among them. */
const ROLES = ['owner', 'active', 'posting'];
/** Memos that are remembered, 2 KiB at the most each: who pays many people often writes the same to all of them. */
const MOST_REMEMBERED = 1000;

interface Sender {
  readonly account: Account;
  readonly authorities: AccountAuthority;
}

/**
 * Keeps senders from publishing their private keys (chain.md 14.3). Only for what clients send to this node: a block may hold such a
 * memo. Whether a memo is a password nobody can tell without making the keys, some 35 µs each, so every memo costs three of them.
 */
export class MemoGuard {
  readonly #rows: RowReader;
  readonly #remembered = new Map<string, readonly PublicKey[]>();

  constructor(rows: RowReader) {
    this.#rows = rows;
  }

  /** Refuses a transfer whose memo gives away a key that its sender has at the head. */
  check({ transaction, signers }: Pick<ProvedTransaction, 'transaction' | 'signers'>): void {
    // Looked up once: many transfers, signatures and keys would be hundreds of thousands of comparisons.
    const senders = new Map<AccountName, Sender | undefined>();
    for (const operation of transaction.operations) {
      const body = bodyOf(transfer, operation);
      if (body === undefined || body.memo === '') continue;
      if (!senders.has(body.from)) senders.set(body.from, this.#possibleSender(body.from, signers));
      const sender = senders.get(body.from);
      if (sender !== undefined) this.#checkMemo(sender, body.from, body.memo);
    }
  }

  /** The account, if the chain may take these signers at all: what it refuses anyway must not cost more than its proof. */
  #possibleSender(from: AccountName, signers: ProvedTransaction['signers']): Sender | undefined {
    const account = this.#rows.get(accounts, from);
    const authorities = this.#rows.get(accountAuthorities, from);
    if (account === undefined || authorities === undefined || !canAct(authorities, signers)) return undefined;
    return { account, authorities };
  }

  #checkMemo({ account, authorities }: Sender, from: AccountName, memo: string): void {
    const known = `${from} ${memo}`;
    const keys = this.#remembered.get(known) ?? keysIn(from, memo);
    for (const key of keys) {
      if (namesKey(authorities.owner, key)) refuseBroadcast.memo_is_owner_key({ account: from });
      if (namesKey(authorities.active, key)) refuseBroadcast.memo_is_active_key({ account: from });
      if (account.memo_key === key) refuseBroadcast.memo_is_memo_key({ account: from });
    }
    // What was refused is a secret and is not kept.
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(known, keys);
  }
}

function keysIn(account: AccountName, memo: string): PublicKey[] {
  return secretsIn(memo, account, ROLES).flatMap((secret) => {
    const key = publicKeyOf(secret);
    return key === undefined ? [] : Buffer.from(key).toString('hex');
  });
}

function canAct({ owner, active }: AccountAuthority, signers: ProvedTransaction['signers']): boolean {
  const both = [owner, active];
  if (both.some(({ account_auths }) => account_auths.length > 0)) return true;
  return signers.some((key) => key !== undefined && both.some((authority) => namesKey(authority, key)));
}
