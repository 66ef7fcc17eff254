import { refusals } from '../base/refusal.ts';
import { randomBytes } from '../crypto/random.ts';
import { decryptMemo, encryptMemo, parseMemo } from '../crypto/wallet_memo.ts';
import type { AccountName } from '../values/account_name.ts';
import { publicKeyText } from '../values/public_key.ts';
import { accountRefusals, requireAccount } from './accounts.ts';
import { consentRefusals, requireConsent } from './consent.ts';
import { keyStoreRefusals } from './key_store.ts';
import { requireNoKeysInMemo, revealedKeyRefusals } from './revealed_keys.ts';
import { chainSymbols, type Wallet } from './wallet.ts';

const refuse = refusals({ memo_key_unusable: 'the memo key of {account} is no key that a memo can be encrypted for' });

const { key_not_in_wallet } = keyStoreRefusals;
/** The refusals of encrypting a memo. */
export const memoRefusals = {
  ...refuse.texts,
  ...accountRefusals,
  ...consentRefusals,
  ...revealedKeyRefusals,
  key_not_in_wallet,
};

/** The lineage treats no text shorter than this as an encrypted memo. */
const SHORTEST_ENCRYPTED = 113;

/**
 * The memo as it is sent: encrypted for both sides when it starts with `#`, else unchanged. The wallet must have the
 * sender's memo key.
 */
export async function encryptIfMarked(
  wallet: Wallet,
  from: AccountName,
  to: AccountName,
  memo: string,
): Promise<string> {
  if (!memo.startsWith('#') || isEncrypted(memo)) return memo;
  await requireNoKeysInMemo(wallet, from, memo.slice(1));
  const [sender, receiver] = [await requireAccount(wallet, from), await requireAccount(wallet, to)];
  const symbols = await chainSymbols(wallet);
  const secret = wallet.keys.secretOf(sender.memo_key, publicKeyText(sender.memo_key, symbols.keyPrefix));
  const reader = publicKeyText(receiver.memo_key, symbols.keyPrefix);
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
