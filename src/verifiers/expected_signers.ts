import { unlessRefused } from '../base/refusal.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import type { AccountAuthority } from '../state/tables/account_authority.ts';
import { witnesses } from '../state/tables/witness.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { namesKey, type Authority } from '../values/authority.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import type { GuessedSignatures, SignerHints } from './signer_hints.ts';

/** The account that has probably signed a transaction, and the number of signatures. */
export type Asked = GuessedSignatures;

/** The first required signer; undefined where it can't be determined, and then the chain's refusal says why. */
export function findAsked({ operations: [first], signatures }: SignedTransaction): Asked | undefined {
  // A witness's properties may hold an invalid key.
  const { active = [], owner = [] } = unlessRefused(() => first?.authorities()) ?? {};
  const [name = owner[0]] = active;
  return name === undefined
    ? undefined
    : { name, role: active.length > 0 ? 'active' : 'owner', signatures: signatures.length };
}

/** The keys that have probably made the signatures of a transaction, in any order; none where nobody knows. */
export interface ExpectedKeys {
  readonly keys: readonly PublicKey[];
  /** No other key could have signed, so a wrong signature is its sender's fault. */
  readonly isCertain: boolean;
  /** The authority in which the keys were looked up. */
  readonly authority: Authority;
}

/**
 * For each, the keys expected to have signed: the only one that can, or those that did last time. Reading all rows in
 * one call saves a third.
 */
export function expectedSigners(
  authoritiesOf: (names: readonly AccountName[]) => readonly (AccountAuthority | undefined)[],
  asked: readonly (Asked | undefined)[],
  hints: SignerHints,
): (ExpectedKeys | undefined)[] {
  const names = [...new Set(asked.flatMap((one) => one?.name ?? []))];
  const rows = new Map(authoritiesOf(names).map((row, index) => [names[index], row]));
  return asked.map((one) => {
    const authority = one === undefined ? undefined : rows.get(one.name)?.[one.role];
    return one && authority && expectedKeys(one, authority, hints);
  });
}

function expectedKeys(asked: Asked, authority: Authority, hints: SignerHints): ExpectedKeys | undefined {
  const { key_auths, account_auths } = authority;
  const first = key_auths[0]?.[0];
  if (first === NULL_KEY) return undefined;
  if (first !== undefined && asked.signatures === 1 && key_auths.length === 1 && account_auths.length === 0) {
    return { keys: [first], isCertain: true, authority };
  }
  const guessed = asked.signatures === 1 && first !== undefined ? [first] : [];
  return { keys: hints.guessedKeys(asked) ?? guessed, isCertain: false, authority };
}

/**
 * Remembers who has made signatures of which the keys were not certain. Anybody can sign in anybody's name, so a key
 * that can't act for the account is no hint.
 */
export function learnSigners(
  hints: SignerHints,
  asked: readonly (Asked | undefined)[],
  expected: readonly (ExpectedKeys | undefined)[],
  signers: readonly (readonly (PublicKey | undefined)[])[],
): void {
  for (let index = 0; index < asked.length; index++) {
    const one = asked[index];
    const looked = expected[index];
    if (one === undefined || looked === undefined || looked.isCertain) continue;
    const { authority } = looked;
    const made = signers[index] ?? [];
    // The keys for its accounts would take more look-ups than a hint saves.
    const canAct =
      authority.account_auths.length > 0 || made.every((key) => key !== undefined && namesKey(authority, key));
    if (canAct) hints.learn(one, made);
  }
}

/** The keys that these witnesses sign blocks with, as far as is known. */
export function expectedProducers(view: CommittedRows, names: readonly AccountName[]): (PublicKey | undefined)[] {
  const keys = new Map<AccountName, PublicKey | undefined>();
  for (const name of names) if (!keys.has(name)) keys.set(name, view.get(witnesses, name)?.signing_key);
  return names.map((name) => keys.get(name));
}
