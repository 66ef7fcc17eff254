import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { requiredAuthorities, requiredSigners } from '../../blocks/authority_check.ts';
import { authorityWalkRefusals } from '../../blocks/authority_walk.ts';
import { keysToSignRefusals, minimalSigners } from '../../blocks/keys_to_sign.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { publicKey } from '../../values/public_key.ts';
import { longTexts } from '../../operations/index.ts';
import { unknownAccountRefusals } from '../../state/lookups.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { readAuthorities } from '../read_authorities.ts';
import { requireSigners, signerRefusals } from '../signatures.ts';
import { givenTransaction } from '../transactions.ts';

/**
 * The most members of authorities that one call may look at: four times those of a transaction's largest authority,
 * some 10 ms.
 */
const MOST_LOOKS = 200_000;

/** Finds a minimal set of the given keys that should sign. */
export const getRequiredSignatures = method({
  name: 'database_api.get_required_signatures',
  doc: 'The minimal subset of the available keys that should sign a transaction, ascending, those that have signed already included.',
  params: { trx: coded(givenTransaction), available_keys: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ keys: Type.Array(coded(publicKey)) }),
  example: {
    params: {
      trx: { ...sampleTransaction, signatures: [] },
      available_keys: ['PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'],
    },
    result: { keys: ['PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'] },
  },
  stability: 'experimental',
  refuses: {
    ...signerRefusals,
    ...unknownAccountRefusals,
    ...authorityWalkRefusals,
    ...keysToSignRefusals,
    ...longTexts,
  },
  // A signature takes about as long as a small read.
  weight: { call: 2, item: 1 },
  thread: 'verifier',
  changes: false,

  async handler({ trx, available_keys }, call) {
    const { parameters, encoding } = call;
    const signers = await requireSigners(call, trx);
    const required = requiredAuthorities(trx.operations, parameters.rules);
    const lookup = await readAuthorities(call, required);
    const keys = speaksLineage(encoding)
      ? requiredSigners(lookup, required, available_keys, signers)
      : minimalSigners(lookup, required, available_keys, { signed: signers, mostLooks: MOST_LOOKS });
    return { keys };
  },
});
