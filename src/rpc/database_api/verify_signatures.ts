import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import { findShortfall } from '../../blocks/authority_check.ts';
import { authorityWalkRefusals } from '../../blocks/authority_walk.ts';
import { signatureRules } from '../../blocks/signature_form.ts';
import { accountName } from '../../values/account_name.ts';
import { authority } from '../../values/authority.ts';
import { digest, signature } from '../../values/hash.ts';
import { unknownAccountRefusals } from '../../state/lookups.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { readAuthorities } from '../read_authorities.ts';
import { findSignersByRule, findSigners } from '../signatures.ts';

/** More than any transaction can carry. */
const MOST_SIGNATURES = 128;

const refuse = refusals({
  duplicate_signature: {
    text: '{duplicate} has signed more than once; each key signs once',
    lineage: 'Duplicate Signature detected',
    lineageCode: 3_060_000,
  },
});

/** True if signatures of a digest are exactly those required. */
export const verifySignatures = method({
  name: 'database_api.verify_signatures',
  doc: 'Whether the signatures of a digest are exactly those that the authorities ask for.',
  params: {
    hash: coded(digest),
    signatures: Type.Array(coded(signature), { maxItems: MOST_SIGNATURES }),
    required_owner: Type.Array(coded(accountName), { maxItems: MOST_SIGNATURES }),
    required_active: Type.Array(coded(accountName), { maxItems: MOST_SIGNATURES }),
    required_other: Type.Array(coded(authority), { maxItems: MOST_SIGNATURES }),
  },
  result: Type.Object({ valid: Type.Boolean() }),
  example: {
    params: {
      hash: '27f9d273190f5f11b3ea85032eb3346911fed476a787e7a51300acdd6d80b0b6',
      signatures: [],
      required_owner: [],
      required_active: ['alice'],
      required_other: [],
    },
    result: { valid: false },
  },
  stability: 'experimental',
  refuses: { ...refuse.texts, ...unknownAccountRefusals, ...authorityWalkRefusals },
  // A signature takes about as long as a small read.
  weight: { call: 2, item: 1 },
  thread: 'verifier',
  changes: false,

  async handler({ hash, signatures, required_owner, required_active, required_other }, call) {
    const { parameters, verifiers } = call;
    // The lineage still applies the first rule of its chain, which half of the signatures that the chain accepts do not
    // meet.
    const found = parameters.rules.one_signature_form
      ? await findSigners(call, hash, signatures)
      : await findSignersByRule(signatureRules.first, { digest: hash, signatures, verifiers });
    const signers = found.filter((signer) => signer !== undefined);
    const twice = signers.filter((key, k) => signers.indexOf(key) < k);
    if (twice.length > 0)
      refuse.duplicate_signature({ duplicate: twice.map((key) => publicKeyText(key, parameters.profile.keyPrefix)) });
    if (signers.length < signatures.length) return { valid: false };
    const required = { active: required_active, owner: required_owner, other: required_other };
    return { valid: findShortfall(await readAuthorities(call, required), required, signers) === undefined };
  },
});
