import { Type } from '../../jsonrpc/typebox.ts';
import { requiredOf, requiredSigners, sufficientSigners } from '../../blocks/authority_check.ts';
import { authorityWalkRefusals } from '../../blocks/authority_walk.ts';
import { speaksLineage } from '../../codec/notation.ts';
import { publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { readAuthorities, requireSigners, signerRefusals } from '../signatures.ts';
import { givenTransaction } from '../transactions.ts';

/** Which of some keys should sign. */
export const getRequiredSignatures = method({
  name: 'database_api.get_required_signatures',
  doc: 'Those of the available keys that a transaction needs, ascending, those that have signed already included.',
  params: { trx: coded(givenTransaction), available_keys: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ keys: Type.Array(coded(publicKey)) }),
  example: {
    params: { trx: { ...sampleTransaction, signatures: [] }, available_keys: ['PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'] },
    result: { keys: ['PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'] },
  },
  stability: 'experimental',
  refuses: { ...signerRefusals, ...authorityWalkRefusals },
  thread: 'writer',

  async handler({ trx, available_keys }, call) {
    const { rows, parameters, notation } = call;
    const signers = await requireSigners(call, trx);
    const [lookup, required] = [readAuthorities(rows, parameters), requiredOf(trx.operations, parameters.rules)];
    const signersOf = speaksLineage(notation) ? requiredSigners : sufficientSigners;
    return { keys: signersOf(lookup, required, available_keys, signers) };
  },
});
