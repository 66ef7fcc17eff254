import { present } from '../base/assert.ts';
import { secretOfBrainKey } from '../crypto/brain_key.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import { randomBytes } from '../crypto/random.ts';
import { encodeWif } from '../crypto/wif.ts';
import { publicKeyText } from '../values/public_key.ts';

/** 16 words of 16 bits each: 256 bits, as strong as the key. */
const WORDS = 16;
const CONSONANTS = 'BDFGHJKLMNPRSTVZ'; // 16: four bits
const VOWELS = 'AIOU'; // 4: two bits

/**
 * A random phrase that can be written down and read aloud. Its words come from 65 536 pronounceable ones (five letters,
 * consonants and vowels alternating, like the "proquints" of arXiv:0901.4016): no word list is needed, and every
 * chain's wallet accepts the text.
 */
export function randomBrainKey(): string {
  const bytes = randomBytes(WORDS * 2);
  const words = Array.from({ length: WORDS }, (_, k) => word((bytes[k * 2] ?? 0) * 256 + (bytes[k * 2 + 1] ?? 0)));
  bytes.fill(0);
  return words.join(' ');
}

/** The word for 16 bits. */
function word(bits: number): string {
  const letter = (letters: string, shift: number): string => letters.charAt((bits >>> shift) % letters.length);
  return (
    letter(CONSONANTS, 12) + letter(VOWELS, 10) + letter(CONSONANTS, 6) + letter(VOWELS, 4) + letter(CONSONANTS, 0)
  );
}

/** The secret of a phrase, and the texts of its private and public key. */
export function keyOfPhrase(
  phrase: string,
  keyPrefix: string,
): { readonly secret: Uint8Array; readonly wif: string; readonly publicKey: string } {
  const secret = secretOfBrainKey(phrase);
  const key = Buffer.from(present(derivePublicKey(secret), 'a key of a phrase')).toString('hex');
  return { secret, wif: encodeWif(secret), publicKey: publicKeyText(key, keyPrefix) };
}
