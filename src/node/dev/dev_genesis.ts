import { present } from '../../base/assert.ts';
import { secretOfSeed } from '../../crypto/brain_key.ts';
import { publicKeyOf } from '../../crypto/keys.ts';
import type { Profile } from '../../values/profile.ts';
import { publicKeyText, type PublicKey } from '../../values/public_key.ts';
import { timeText, type Seconds } from '../../values/time.ts';

/** Accounts of a development chain; the secret of each is the sha256 of its name, so use them for experiments only. */
export const devAccounts = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy'] as const;

/** The initial balance of each account, in millionths. */
export const DEV_BALANCE = 10_000_000_000_000; // 10 million coins each
const CONFIRMATIONS_FROM_BLOCK = 201_600; // a week of blocks
const INIT_MINER_BALANCE = 250_000_000_000_000; // together with the accounts 350 million, the supply from which interest is computed

/** The secret of a development account. */
export function devSecret(name: string): Uint8Array {
  return secretOfSeed(name);
}

/** The public key of a development account. */
export function devKeyOf(name: string): PublicKey {
  return Buffer.from(present(publicKeyOf(devSecret(name)), 'a key for the secret')).toString('hex');
}

/** The same as text. */
export function devPublicKey(name: string, profile: Profile): string {
  return publicKeyText(devKeyOf(name), profile.keyPrefix);
}

/** The genesis text of a new development chain. It begins now, so that slots before the start don't count as missed. */
export function devGenesisText(profile: Profile, now: Seconds): string {
  const interval = 3;
  const key = (name: string): string => devPublicKey(name, profile);
  const genesis = {
    initial_public_key: key('initminer'),
    initial_balace: INIT_MINER_BALANCE,
    hardfork_req_witnesses: 1,
    genesis_time: timeText(now - (now % interval)),
    initial_accounts: devAccounts.map((name) => ({ name, key: key(name), balance: DEV_BALANCE })),
    rules: profile.rules,
    minimum_vesting_seconds: 0,
    dilution_protection_percent: 90,
    // With one witness every block would be irreversible at once, and nothing could be undone.
    confirmations_from_block: CONFIRMATIONS_FROM_BLOCK,
    initial_signing_key: key('initminer'),
  };
  return JSON.stringify(genesis, null, 1);
}
