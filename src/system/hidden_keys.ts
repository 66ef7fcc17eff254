/** A WIF: 51 or 52 digits of base 58, by the version and the form of the key. */
const PRIVATE_KEY = /(?<![1-9A-HJ-NP-Za-km-z])[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-HJ-NP-Za-km-z])/g;

/**
 * Returns the text without keys: a wrong line may hold a key beside the fault, or in the wrong place, and texts for
 * people and logs don't repeat it.
 */
export function withoutKeys(text: string): string {
  return text.replace(PRIVATE_KEY, '(a private key)');
}
