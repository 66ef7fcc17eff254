import { Fault } from '../../base/fault.ts';
import { refusals } from '../../base/refusal.ts';
import { decodeWif, LONGEST_WIF, wifFault } from '../../crypto/wif.ts';
import type { ClosedFile, Lock } from './contents.ts';

// A file with one private key as text, as `pharos keys --key-file` and `pharos genesis create --keys` write it.

const refuse = refusals({
  plain_key_file:
    'the wallet file holds one private key as text, and nothing is written into it; set_password of another --wallet-file makes a wallet, and import_key adds the key there',
});

/** The refusals of a file with a private key as text. */
export const plainKeyRefusals = refuse.texts;

/** True when a text is meant as a private key: one word that begins and is as long as one, mistyped or not. */
export function isWifFile(text: string): boolean {
  const word = text.trim();
  return /^[5KL][^\s{}"]{49,51}$/.test(word) && word.length <= LONGEST_WIF;
}

/** Reads a file with a private key. Throws Fault `configuration` when the key is mistyped. */
export function readWifFile(text: string): ClosedFile {
  const word = text.trim();
  if (decodeWif(word) === undefined)
    throw new Fault('configuration', `it holds one private key as text, and the key ${wifFault(word)}`);
  const secrets = (): readonly Uint8Array[] => [decodeWif(word) ?? refuse.plain_key_file()];
  return {
    format: 'wif',
    isNew: false,
    chain: undefined,
    server: '',
    open: async () => ({ lock: plainLock, secrets: secrets() }),
    unprotected: () => ({ lock: plainLock, secrets: secrets() }),
  };
}

const plainLock: Lock = { close: () => refuse.plain_key_file(), wipe: () => {} };
