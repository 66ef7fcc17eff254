import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { NULL_KEY, publicKeyText, type PublicKey } from '../values/public_key.ts';

const missing = 'is missing: it asks for {asked}, and the transaction is signed by {signers}';
const hint =
  'if you signed with another key than that, you signed other bytes than data.transaction_hex, or for another chain than {chain_id}';
const lineages = {
  missing_active_authority: { lineage: 'Missing Active Authority {id}', lineageCode: 3_010_000 },
  missing_owner_authority: { lineage: 'Missing Owner Authority {id}', lineageCode: 3_020_000 },
  missing_other_authority: { lineage: 'Missing Authority', lineageCode: 3_040_000 },
} as const;

const refuse = refusals({
  missing_active_authority: {
    text: `the active authority of {id} ${missing}; ${hint}`,
    ...lineages.missing_active_authority,
  },
  missing_owner_authority: {
    text: `the owner authority of {id} ${missing}; ${hint}`,
    ...lineages.missing_owner_authority,
  },
  missing_other_authority: {
    text: `an authority that an operation spells out ${missing}; ${hint}`,
    ...lineages.missing_other_authority,
  },
  irrelevant_signature: {
    text: 'nothing in the transaction asks for a signature by {irrelevant}; leave it out',
    lineage: 'Unnecessary signature(s) detected',
    lineageCode: 3_050_000,
  },
  duplicate_signature: {
    text: '{duplicate} has signed more than once; each key signs once',
    lineage: 'Duplicate Signature detected',
    lineageCode: 3_060_000,
  },
});

/** The same for a transaction without signatures. */
const refuseUnsigned = refusals({
  missing_active_authority: {
    text: 'the transaction has no signature, and the active authority of {id} asks for {asked}',
    ...lineages.missing_active_authority,
  },
  missing_owner_authority: {
    text: 'the transaction has no signature, and the owner authority of {id} asks for {asked}',
    ...lineages.missing_owner_authority,
  },
  missing_other_authority: {
    text: 'the transaction has no signature, and an authority that an operation spells out asks for {asked}',
    ...lineages.missing_other_authority,
  },
});

/** Refusals of a check of authorities, besides those of the walk. */
export const shortfallRefusals = refuse.texts;

/** The difference between the keys and the requirements. */
export type Shortfall =
  | {
      readonly code: 'missing_active_authority' | 'missing_owner_authority' | 'missing_other_authority';
      /** The account whose authority is not satisfied; empty for an authority that an operation includes. */
      readonly id: AccountName;
      /** The unsatisfied authority: the active one where either the active or the owner authority would do. */
      readonly authority: Authority;
    }
  | { readonly code: 'irrelevant_signature' | 'duplicate_signature'; readonly keys: readonly PublicKey[] };

/** The signed bytes and the signers, for a signer that looks for its own mistake. */
export interface Signing {
  readonly keyPrefix: string;
  readonly details: SigningDetails;
}

type SigningDetails = Readonly<{
  /** Keys as texts. */
  signers: readonly string[];
  chain_id: string;
  digest: string;
  transaction_hex: string;
}>;

/** Refuses keys that fall short; `callWeight` returns the weight that they do give an authority. */
export function refuseShortfall(
  shortfall: Shortfall,
  { keyPrefix, details }: Signing,
  weightOf: (authority: Authority) => number,
): never {
  if ('keys' in shortfall) {
    const keys = shortfall.keys.map((key) => publicKeyText(key, keyPrefix));
    if (shortfall.code === 'irrelevant_signature') refuse.irrelevant_signature({ irrelevant: keys, ...details });
    return refuse.duplicate_signature({ duplicate: keys, ...details });
  }
  const { code, id, authority } = shortfall;
  const weight = weightOf(authority);
  const asked = describeAuthority(authority, weight, keyPrefix);
  const table = details.signers.length > 0 ? refuse : refuseUnsigned;
  const told = { asked, weight, threshold: authority.weight_threshold, ...details };
  return code === 'missing_other_authority' ? table[code](told) : table[code]({ id, ...told });
}

/** Writing a key as text takes ten microseconds, and long lists are not read. */
const MEMBERS_SHOWN = 3;

/** The signatures that an authority requires. */
function describeAuthority(
  { weight_threshold: threshold, key_auths, account_auths }: Authority,
  weight: number,
  keyPrefix: string,
): string {
  const keys = key_auths.filter(([key]) => key !== NULL_KEY);
  const count = keys.length + account_auths.length;
  if (count === 0) return 'a signature that nobody can make: it is locked';
  const members = [
    ...keys.slice(0, MEMBERS_SHOWN).map(([key, its]) => ({ text: publicKeyText(key, keyPrefix), its })),
    ...account_auths.slice(0, MEMBERS_SHOWN).map(([name, its]) => ({ text: `account ${name}`, its })),
  ].slice(0, MEMBERS_SHOWN);
  if (members.every(({ its }) => its >= threshold))
    return `a signature by ${listed(
      members.map(({ text }) => text),
      count,
    )}`;
  const weights = members.map(({ text, its }) => `${text} (${its})`);
  return `a weight of ${threshold}, of which ${weight} is there, by ${listed(weights, count)}`;
}

function listed(texts: readonly string[], count: number): string {
  const more = count - texts.length;
  return more > 0 ? `${texts.join(', ')} or ${more} more` : texts.join(' or ');
}
