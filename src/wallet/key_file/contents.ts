import { Fault } from '../../base/fault.ts';
import { refusals } from '../../base/refusal.ts';
import type { ChainWords } from '../../codec/notation.ts';
import type { Digest } from '../../values/hash.ts';

/** The chain that a wallet signs for, and the words that its keys and amounts are written with. */
export interface BoundChain {
  readonly id: Digest;
  readonly words: ChainWords;
}

/** What a key file holds in the open. */
export interface OpenContents {
  /** Undefined until something was signed. */
  readonly chain: BoundChain | undefined;
  /** URL of the node that was used last; '' when there was none. */
  readonly server: string;
}

/** A password that was proved right, as it is needed to write the file again: a derived key, never the text. */
export interface Lock {
  /** The text of a file that this lock opens. */
  close(contents: OpenContents, secrets: readonly Uint8Array[]): string;
  /** Forgets the derived key. */
  wipe(): void;
}

/** What a right password finds. */
export interface Opened {
  readonly lock: Lock;
  readonly secrets: readonly Uint8Array[];
}

/** A key file that was read and not yet opened. */
export interface ClosedFile extends OpenContents {
  readonly format: 'pharos' | 'lineage';
  /** No password was ever set. */
  readonly isNew: boolean;
  /** Refuses a wrong password, `wrong_password`. */
  open(password: string): Promise<Opened>;
}

/** What a password may be refused for. */
export const refusePassword = refusals({
  wrong_password: { text: 'wrong password: the wallet stays locked', lineage: 'wrong password', lineageCode: 18 },
  empty_password: { text: 'the password is empty; give one', lineage: 'password.size() > 0: the password is empty' },
});

/** Throws the Fault of a file that can't be read as a wallet; nothing is ever written over it. */
export function damaged(reason: string): never {
  throw new Fault('damaged_data', `the wallet file is damaged: ${reason}; it was left as it is`);
}
