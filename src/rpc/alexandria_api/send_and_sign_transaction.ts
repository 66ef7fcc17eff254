import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { waitingRefusals } from '../broadcast_refusals.ts';
import { sendSigned } from './broadcasting.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { privateKeyRefusals, requireSecret, privateKeyText } from './private_key.ts';
import { codedResult } from '../../jsonrpc/envelope/results.ts';
import { samplePrivateKey, sampleTransaction } from '../sample_transaction.ts';
import { processedTransaction } from '../../queries/transactions.ts';
import { givenTransaction } from '../transactions.ts';
import { waitForParam } from '../wait_for_param.ts';

/** Signs and sends a transaction. */
export const sendAndSignTransaction = method({
  name: 'alexandria_api.send_and_sign_transaction',
  doc: 'Signs a transaction, sends it and waits for its block, or as `wait_for` says; signatures that it has stay. For trying things out.',
  params: { tx: coded(givenTransaction), pk: coded(privateKeyText), wait_for: waitForParam('block') },
  result: Type.Object({ signed_tx: codedResult(processedTransaction) }),
  example: { params: { tx: { ...sampleTransaction, signatures: [] }, pk: samplePrivateKey } },
  stability: 'stable',
  needsPrivateKey: true,
  refuses: { ...privateKeyRefusals, ...waitingRefusals },
  refusesForOperations: true,
  thread: 'writer',
  changes: true,

  async handler({ tx, pk, wait_for: waitFor }, call) {
    const signing = { secret: requireSecret(pk), waitFor, method: 'alexandria_api.send_and_sign_transaction' };
    return { signed_tx: await sendSigned(call, tx, signing) };
  },
});
