import { MOST_GUESSED } from '../blocks/verify.ts';
import type { AccountName } from '../values/account_name.ts';
import type { PublicKey } from '../values/public_key.ts';

/** Signatures for an account by several possible signers: whose keys they are has to be guessed. */
export interface GuessedSignatures {
  readonly name: AccountName;
  readonly role: 'active' | 'owner';
  readonly signatures: number;
}

/** Hints that are remembered, some 400 bytes each; the one that was not needed for longest is forgotten. */
const MOST_REMEMBERED = 10_000;
/** An account that always signs with other keys is tried in vain once in 1 024 times. */
const MOST_NEEDED = 1024;

interface Hint {
  readonly keys: readonly PublicKey[];
  readonly equalInARow: number;
  /** The number of equal signers in a row after which they are expected again. */
  readonly needed: number;
}

/**
 * Remembers the last signers of accounts that several keys or other accounts can act for. Most firms sign with the same
 * keys, in an order that says nothing, as the chain sorts signatures. A hint that was wrong has to be right four times
 * as often before it is used again, so that nobody can make wrong ones at will.
 */
export class SignerHints {
  readonly #hints = new Map<string, Hint>();

  /** The expected keys, as many as signatures, in any order; undefined where none are expected. */
  guessedKeys(signed: GuessedSignatures): readonly PublicKey[] | undefined {
    const hint = this.#hints.get(hintText(signed));
    return hint !== undefined && hint.equalInARow >= hint.needed ? hint.keys : undefined;
  }

  /**
   * Remembers who has signed. Signatures that nobody can have made are no hint, and more of them than are guessed (10
   * KiB for a hundred) of no use.
   */
  learn(signed: GuessedSignatures, signers: readonly (PublicKey | undefined)[]): void {
    const keys = signers.filter((key) => key !== undefined);
    if (keys.length !== signed.signatures || keys.length > MOST_GUESSED) return;
    const text = hintText(signed);
    const before = this.#hints.get(text);
    // Deleted first, so that the map is ordered by the last use.
    this.#hints.delete(text);
    this.#hints.set(text, before === undefined ? { keys, equalInARow: 1, needed: 1 } : next(before, keys));
    if (this.#hints.size <= MOST_REMEMBERED) return;
    for (const oldest of this.#hints.keys()) {
      this.#hints.delete(oldest);
      return;
    }
  }
}

function next({ keys: last, equalInARow, needed }: Hint, keys: readonly PublicKey[]): Hint {
  const isEqual = keys.every((key) => last.includes(key));
  if (isEqual) return { keys: last, equalInARow: equalInARow + 1, needed: equalInARow >= MOST_NEEDED ? 1 : needed };
  const wasExpected = equalInARow >= needed;
  return { keys, equalInARow: 1, needed: wasExpected ? Math.min(needed * 4, MOST_NEEDED) : needed };
}

const hintText = ({ name, role, signatures }: GuessedSignatures): string => `${name} ${role} ${signatures}`;
