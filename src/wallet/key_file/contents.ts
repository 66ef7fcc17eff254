import { Fault } from '../../base/fault.ts';
import { refusals } from '../../base/refusal.ts';
import type { ChainSymbols } from '../../codec/encoding_options.ts';
import type { Digest } from '../../values/hash.ts';

/** The chain that a wallet signs for, and the words for writing its keys and amounts. */
export interface BoundChain {
  readonly id: Digest;
  readonly symbols: ChainSymbols;
}

/** The unencrypted contents of a key file. */
export interface OpenContents {
  /** Undefined until something has been signed. */
  readonly chain: BoundChain | undefined;
  /** URL of the node that was used last; '' when there was none. */
  readonly server: string;
}

/** A verified password leaves this for writing the file again: a derived key, never the password itself. */
export interface Lock {
  /** The text of a file that this lock opens. */
  close(contents: OpenContents, secrets: readonly Uint8Array[]): string;
  /** Forgets the derived key. */
  wipe(): void;
}

/** The correct password gives access to this. */
export interface Opened {
  readonly lock: Lock;
  readonly secrets: readonly Uint8Array[];
}

/** A key file that has been read but not decrypted. */
export interface ClosedFile extends OpenContents {
  readonly format: 'pharos' | 'lineage' | 'wif';
  /** No password has been set yet. */
  readonly isNew: boolean;
  /** Decrypts the file; refuses a wrong password with `wrong_password`. */
  open(password: string): Promise<Opened>;
  /** Opens a file that no password protects; missing for all others. */
  readonly unprotected?: () => Opened;
}

/** Reasons for refusing a password. */
export const refusePassword = refusals({
  wrong_password: { text: 'wrong password: the wallet stays locked', lineage: 'wrong password', lineageCode: 18 },
  empty_password: { text: 'the password is empty; give one', lineage: 'password.size() > 0: the password is empty' },
});

/** Throws the Fault for a file that can't be read as a wallet; such a file is never overwritten. */
export function damaged(reason: string): never {
  throw new Fault(
    'damaged_data',
    `the wallet file is damaged: ${reason}; it was left as it is: put back a copy, such as one of save_wallet_file`,
  );
}
