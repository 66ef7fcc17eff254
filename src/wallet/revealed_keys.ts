import { refusals } from '../base/refusal.ts';
import { secretOfSeed } from '../crypto/brain_key.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import { KeySearch, MOST_WIFS } from '../crypto/leaked_keys.ts';
import { actingAccounts, type Operation } from '../operations/operation.ts';
import { transfer } from '../operations/transfer.ts';
import type { AccountName } from '../values/account_name.ts';
import { namesKey } from '../values/authority.ts';
import type { PublicKey } from '../values/public_key.ts';
import { accountsNamed, type AccountKeys } from './accounts.ts';
import type { Wallet } from './wallet.ts';

const refuse = refusals({
  memo_is_owner_key: {
    text: 'the {member} contains the private owner key of {account}, or is its password; nothing was sent',
    lineage: 'Detected private owner key in memo field. Cancelling transaction.',
  },
  memo_is_active_key: {
    text: 'the {member} contains the private active key of {account}, or is its password; nothing was sent',
    lineage: 'Detected private active key in memo field. Cancelling transaction.',
  },
  memo_is_memo_key: {
    text: 'the {member} contains the private memo key of {account}, or is its password; nothing was sent',
    lineage: 'Detected private memo key in memo field. Cancelling transaction.',
  },
  memo_is_imported_key: {
    text: 'the {member} contains a private key of this wallet, or is the password that it is made from; nothing was sent',
    lineage: 'Detected imported private key in memo field. Cancelling transaction.',
  },
  memo_holds_keys: 'the texts of the transaction hold more than {limit} private keys; take them out; nothing was sent',
});

/** The refusals of a transaction's texts. */
export const revealedKeyRefusals = refuse.texts;

/** The roles that a memo is tried with as a password. */
const ROLES = ['owner', 'active', 'memo'];

/** A text, and the accounts that send it. */
interface SentText {
  readonly member: string;
  readonly text: string;
  readonly senders: readonly AccountName[];
  readonly mayBePassword: boolean;
}

interface Revealed {
  readonly member: string;
  readonly senders: readonly AccountName[];
  readonly keys: readonly PublicKey[];
}

/**
 * Refuses operations whose texts reveal a private key, of the wallet or of the accounts that sign: every member that
 * holds text of the sender's choice is searched, and a memo may also be a password. Must precede whatever shows the
 * operations to a node.
 */
export async function requireNoKeys(wallet: Wallet, operations: readonly Operation[]): Promise<void> {
  await requireNoKeysRevealed(wallet, listTexts(operations));
}

/** The same for a memo that is going to be encrypted: its receiver reads it all the same. */
export async function requireNoKeysInMemo(wallet: Wallet, from: AccountName, text: string): Promise<void> {
  await requireNoKeysRevealed(wallet, [{ member: 'memo', text, senders: [from], mayBePassword: true }]);
}

/** The same without a node: only the keys of the wallet are known. */
export function requireNoWalletKeys(wallet: Wallet, operations: readonly Operation[]): void {
  requireNotRevealed(wallet, findRevealed(listTexts(operations)), []);
}

async function requireNoKeysRevealed(wallet: Wallet, texts: readonly SentText[]): Promise<void> {
  const revealed = findRevealed(texts);
  requireNotRevealed(
    wallet,
    revealed,
    await accountsNamed(wallet, [...new Set(revealed.flatMap(({ senders }) => senders))]),
  );
}

function listTexts(operations: readonly Operation[]): SentText[] {
  return operations.flatMap((operation) => {
    const senders = actingAccounts(operation);
    const mayBePassword = operation.kind === transfer;
    return operation.freeTexts().map(({ member, text }) => ({ member, text, senders, mayBePassword }));
  });
}

/** The texts that reveal keys, whosever they are. */
function findRevealed(texts: readonly SentText[]): Revealed[] {
  const search = new KeySearch();
  const revealed = texts.map(({ member, text, senders, mayBePassword }) => {
    const passwords = mayBePassword && text !== '' ? senders.flatMap((name) => passwordSecrets(name, text)) : [];
    return { member, senders, keys: [...search.secretsIn(text), ...passwords].flatMap(derivedKeys) };
  });
  if (search.holdsTooMany) refuse.memo_holds_keys({ limit: MOST_WIFS });
  return revealed.filter(({ keys }) => keys.length > 0);
}

function passwordSecrets(name: AccountName, text: string): Uint8Array[] {
  return ROLES.map((role) => secretOfSeed(name + role + text));
}

/** The public key of a secret; none when the secret is out of range. */
function derivedKeys(secret: Uint8Array): PublicKey[] {
  const key = derivePublicKey(secret);
  return key === undefined ? [] : [Buffer.from(key).toString('hex')];
}

function requireNotRevealed(
  { keys: ours }: Wallet,
  revealed: readonly Revealed[],
  accounts: readonly AccountKeys[],
): void {
  for (const { member, senders, keys } of revealed) {
    for (const account of accounts) if (senders.includes(account.name)) requireKeyNotRevealed(account, member, keys);
    if (keys.some((key) => ours.has(key))) refuse.memo_is_imported_key({ member });
  }
}

function requireKeyNotRevealed(
  { name: account, owner, active, memo_key }: AccountKeys,
  member: string,
  keys: readonly PublicKey[],
): void {
  for (const key of keys) {
    if (namesKey(owner, key)) refuse.memo_is_owner_key({ member, account });
    if (namesKey(active, key)) refuse.memo_is_active_key({ member, account });
    if (memo_key === key) refuse.memo_is_memo_key({ member, account });
  }
}
