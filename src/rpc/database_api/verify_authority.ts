import Type from 'typebox';
import type { RefusalDetails } from '../../base/refusal.ts';
import { authorityCheckRefusals, checkAuthorities, requiredOf, signingDetails } from '../../blocks/authority_check.ts';
import { packTransaction } from '../../blocks/transaction.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { readAuthorities, requireSigners, signerRefusals } from '../signatures.ts';
import { givenTransaction } from '../transactions.ts';

/** Whether a transaction has the signatures that it needs. */
export const verifyAuthority = method({
  name: 'database_api.verify_authority',
  doc: 'True when a transaction has exactly the signatures that it needs; refused with the account that misses one otherwise.',
  params: { trx: coded(givenTransaction) },
  result: Type.Object({ valid: Type.Boolean() }),
  example: { params: { trx: { ...sampleTransaction, operations: [], signatures: [] } }, result: { valid: true } },
  stability: 'experimental',
  refuses: { ...authorityCheckRefusals, ...signerRefusals },
  thread: 'read',

  handler({ trx }, { rows, parameters }) {
    const signers = requireSigners(rows, parameters, trx);
    const signing = (): RefusalDetails => signingDetails(parameters, packTransaction(trx), signers);
    checkAuthorities(readAuthorities(rows, parameters), requiredOf(trx.operations, parameters.rules), signers, signing);
    return { valid: true };
  },
});
