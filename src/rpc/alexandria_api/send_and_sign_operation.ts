import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { operationCodec } from '../../operations/index.ts';
import { waitingRefusals } from '../broadcast_refusals.ts';
import { sendSigned } from './broadcasting.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { privateKeyRefusals, requireSecret, privateKeyText } from './private_key.ts';
import { codedResult } from '../../jsonrpc/envelope/results.ts';
import { sampleOperation, samplePrivateKey } from '../sample_transaction.ts';
import { processedTransaction } from '../../queries/transactions.ts';
import { buildTransaction } from '../transactions.ts';
import { waitForParam } from '../wait_for_param.ts';

/** Builds, signs and sends a transaction of one operation. */
export const sendAndSignOperation = method({
  name: 'alexandria_api.send_and_sign_operation',
  doc: 'Builds a transaction of one operation, signs it, sends it and waits for its block, or as `wait_for` says. For trying things out.',
  params: { op: coded(operationCodec), pk: coded(privateKeyText), wait_for: waitForParam('block') },
  result: Type.Object({ signed_tx: codedResult(processedTransaction) }),
  example: { params: { op: sampleOperation, pk: samplePrivateKey } },
  stability: 'stable',
  needsPrivateKey: true,
  refuses: { ...privateKeyRefusals, ...waitingRefusals },
  refusesForOperations: true,
  thread: 'writer',
  changes: true,

  async handler({ op, pk, wait_for: waitFor }, call) {
    const secret = requireSecret(pk);
    const transaction = call.rows.consistentRead(() => buildTransaction(call, [op]));
    return {
      signed_tx: await sendSigned(call, transaction, {
        secret,
        waitFor,
        method: 'alexandria_api.send_and_sign_operation',
      }),
    };
  },
});
