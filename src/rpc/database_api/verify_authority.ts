import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { Refusal } from '../../base/refusal.ts';
import {
  checkAuthorities,
  missingSignatureRefusals,
  requiredAuthorities,
  transactionSigning,
} from '../../blocks/authority_check.ts';
import { authorityWalkRefusals } from '../../blocks/authority_walk.ts';
import type { Signing } from '../../blocks/refuse_shortfall.ts';
import { signatureFormRefusals } from '../../blocks/signature_form.ts';
import { transactionSizeRefusals } from '../../blocks/transaction_size.ts';
import { packTransaction, type SignedTransaction } from '../../blocks/transaction.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { longTexts } from '../../operations/index.ts';
import { unknownAccountRefusals } from '../../state/lookups.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import type { VerifierCall } from '../services.ts';
import { readAuthorities } from '../read_authorities.ts';
import { requireSigners } from '../signatures.ts';
import { givenTransaction } from '../transactions.ts';

/** Refusals that only mean that signatures are missing or wrong. */
const invalid = { ...missingSignatureRefusals, ...signatureFormRefusals };

/** True if a transaction has the signatures that it needs. */
export const verifyAuthority = method({
  name: 'database_api.verify_authority',
  doc: 'Whether a transaction has exactly the signatures that it needs.',
  params: { trx: coded(givenTransaction) },
  result: Type.Object({ valid: Type.Boolean() }),
  example: { params: { trx: { ...sampleTransaction, operations: [], signatures: [] } }, result: { valid: true } },
  stability: 'experimental',
  refuses: { ...unknownAccountRefusals, ...authorityWalkRefusals, ...transactionSizeRefusals, ...longTexts },
  refusesLineage: invalid,
  // A signature takes about as long as a small read.
  weight: { call: 2, item: 1 },
  thread: 'verifier',
  changes: false,

  async handler({ trx }, call) {
    try {
      await requireAuthority(call, trx);
      return { valid: true };
    } catch (error) {
      const isVerdict = error instanceof Refusal && Object.hasOwn(invalid, error.code) && !speaksLineage(call.encoding);
      if (!isVerdict) throw error;
      return { valid: false };
    }
  },
});

/** Refuses like the chain, with the account whose signature is missing. */
async function requireAuthority(call: VerifierCall, trx: SignedTransaction): Promise<void> {
  const { parameters } = call;
  const signers = await requireSigners(call, trx);
  const signing = (): Signing => transactionSigning(parameters, packTransaction(trx), signers);
  const required = requiredAuthorities(trx.operations, parameters.rules);
  checkAuthorities(await readAuthorities(call, required), required, signers, signing);
}
