import Type from 'typebox';
import { waitingRefusals } from '../broadcast_refusals.ts';
import { sendSigned } from '../broadcasting.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';
import { privateKeyRefusals, requireSecret } from '../private_key.ts';
import { writtenBy } from '../results.ts';
import { samplePrivateKey, sampleTransaction } from '../sample_transaction.ts';
import { givenTransaction, processedTransaction } from '../transactions.ts';

/** Signs and sends a transaction. */
export const sendAndSignTransaction = method({
  name: 'alexandria_api.send_and_sign_transaction',
  doc: 'Signs a transaction, sends it and waits for its block; signatures that it has stay. For trying things out.',
  params: { tx: coded(givenTransaction), pk: Type.String() },
  result: Type.Object({ signed_tx: writtenBy(processedTransaction) }),
  example: { params: { tx: { ...sampleTransaction, signatures: [] }, pk: samplePrivateKey } },
  stability: 'stable',
  needsPrivateKey: true,
  refuses: { ...privateKeyRefusals, ...waitingRefusals },
  refusesForOperations: true,
  thread: 'writer',
  handler: async ({ tx, pk }, call) => ({ signed_tx: await sendSigned(call, tx, requireSecret(pk)) }),
});
