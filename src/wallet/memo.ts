import { refusals } from '../base/refusal.ts';
import { secretsIn } from '../crypto/leaked_keys.ts';
import { publicKeyOf } from '../crypto/keys.ts';
import { randomBytes } from '../crypto/random.ts';
import { decryptMemo, encryptMemo, parseMemo } from '../crypto/wallet_memo.ts';
import type { AccountName } from '../values/account_name.ts';
import { namesKey } from '../values/authority.ts';
import { publicKeyText } from '../values/public_key.ts';
import { requireAccount, type AccountKeys } from './accounts.ts';
import { requireConsent } from './consent.ts';
import { wordsOf, type Wallet } from './wallet.ts';

const refuse = refusals({
  memo_is_owner_key: {
    text: 'the memo contains the private owner key of {account}, or is its password; nothing was sent',
    lineage: 'Detected private owner key in memo field. Cancelling transaction.',
  },
  memo_is_active_key: {
    text: 'the memo contains the private active key of {account}, or is its password; nothing was sent',
    lineage: 'Detected private active key in memo field. Cancelling transaction.',
  },
  memo_is_memo_key: {
    text: 'the memo contains the private memo key of {account}, or is its password; nothing was sent',
    lineage: 'Detected private memo key in memo field. Cancelling transaction.',
  },
  memo_is_imported_key: {
    text: 'the memo contains a private key of this wallet, or is the password that it is made from; nothing was sent',
    lineage: 'Detected imported private key in memo field. Cancelling transaction.',
  },
  memo_key_unusable: 'the memo key of {account} is no key that a memo can be encrypted for',
});

/** The lineage treats no text shorter than this as an encrypted memo. */
const SHORTEST_ENCRYPTED = 113;

/** The memo as it is sent: encrypted for both sides when it starts with `#`, else unchanged. The wallet must have the sender's memo key. */
export async function memoFor(wallet: Wallet, from: AccountName, to: AccountName, memo: string): Promise<string> {
  if (!memo.startsWith('#') || isEncrypted(memo)) return memo;
  const [sender, receiver] = [await requireAccount(wallet, from), await requireAccount(wallet, to)];
  const words = await wordsOf(wallet);
  const secret = wallet.keys.secretOf(sender.memo_key, publicKeyText(sender.memo_key, words.keyPrefix));
  const reader = publicKeyText(receiver.memo_key, words.keyPrefix);
  await requireConsent(wallet, `the memo will be readable with ${reader}, the memo key of ${to}`);
  const encrypted = encryptMemo(memo.slice(1), secret, Buffer.from(receiver.memo_key, 'hex'), nonce(wallet));
  return encrypted ?? refuse.memo_key_unusable({ account: to });
}

function isEncrypted(memo: string): boolean {
  return memo.length >= SHORTEST_ENCRYPTED && parseMemo(memo) !== undefined;
}

/** Microseconds, with the last three digits random: two memos of the same millisecond must not share a key. */
function nonce({ clock }: Wallet): bigint {
  const [high = 0, low = 0] = randomBytes(2);
  return BigInt(clock.nowMs()) * 1000n + BigInt((high * 256 + low) % 1000);
}

/** The text of an encrypted memo; the memo itself when it isn't encrypted, or not for a key of this wallet. */
export function openMemo({ keys }: Wallet, memo: string): string {
  const parsed = memo.length >= SHORTEST_ENCRYPTED ? parseMemo(memo) : undefined;
  if (parsed === undefined) return memo;
  const sides = [[parsed.from, parsed.to] as const, [parsed.to, parsed.from] as const];
  for (const [own, other] of sides) {
    const key = Buffer.from(own).toString('hex');
    const text = keys.has(key) ? decryptMemo(parsed, keys.secretOf(key, key), other) : undefined;
    if (text !== undefined) return text;
  }
  return memo;
}

/** Refuses a memo that reveals a private key: as text, or as the password from which one is derived. */
export function requireNoKey({ keys }: Wallet, sender: AccountKeys, memo: string): void {
  for (const secret of secretsIn(memo, sender.name, ['owner', 'active', 'memo'])) {
    const point = publicKeyOf(secret);
    if (point === undefined) continue;
    const key = Buffer.from(point).toString('hex');
    if (namesKey(sender.owner, key)) refuse.memo_is_owner_key({ account: sender.name });
    if (namesKey(sender.active, key)) refuse.memo_is_active_key({ account: sender.name });
    if (sender.memo_key === key) refuse.memo_is_memo_key({ account: sender.name });
    if (keys.has(key)) refuse.memo_is_imported_key();
  }
}
