import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { askedSigners, potentialSigners, requiredAuthorities, type Required } from '../../blocks/authority_check.ts';
import { authorityWalkRefusals } from '../../blocks/authority_walk.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { publicKey } from '../../values/public_key.ts';
import { longTexts } from '../../operations/index.ts';
import { unknownAccountRefusals } from '../../state/lookups.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { readAuthorities } from '../read_authorities.ts';
import { requireSigners, signerRefusals } from '../signatures.ts';
import { givenTransaction } from '../transactions.ts';

/** The keys that could sign. */
export const getPotentialSignatures = method({
  name: 'database_api.get_potential_signatures',
  doc: 'All keys that could sign a transaction: those of the authorities that it asks for and of the accounts within them, ascending.',
  params: { trx: coded(givenTransaction) },
  result: Type.Object({ keys: Type.Array(coded(publicKey)) }),
  example: {
    params: { trx: { ...sampleTransaction, signatures: [] } },
    result: { keys: ['PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'] },
  },
  stability: 'experimental',
  refuses: { ...signerRefusals, ...unknownAccountRefusals, ...authorityWalkRefusals, ...longTexts },
  // A signature takes about as long as a small read.
  weight: { call: 2, item: 1 },
  thread: 'verifier',
  changes: false,

  async handler({ trx }, call) {
    const { parameters, encoding } = call;
    const required = requiredAuthorities(trx.operations, parameters.rules);
    const signers = await requireSigners(call, trx);
    const lookup = await readAuthorities(call, required);
    const keys = speaksLineage(encoding)
      ? potentialSigners(lookup, required, signers)
      : askedSigners(lookup, withOwners(required), signers);
    return { keys };
  },
});

/** The owner authority of an account may act for it, too. */
function withOwners(required: Required): Required {
  return { ...required, owner: [...required.owner, ...required.active] };
}
