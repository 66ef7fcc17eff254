import type { Json } from '../../../src/codec/json.ts';
import type { Method } from '../../../src/rpc/method.ts';
import type { WaitFor } from '../../../src/rpc/wait_for.ts';
import { produce } from '../../builders/chain.ts';
import type { Answer, NodeOfMethods } from './node_of_methods.ts';
import {
  ALICE_WIF,
  makeExample,
  node,
  ownNode,
  payment,
  signed,
  type JsonObject,
  type Provocation,
} from './provoking_nodes.ts';

/** Makes the method send an operation of Alice. */
function sending(on: NodeOfMethods, { paramNames }: Method, operation: Json): JsonObject {
  const [first = ''] = paramNames;
  if (first === 'op_vec') return { op_vec: [operation], wait: true };
  if (first === 'op') return { op: operation, pk: ALICE_WIF };
  return paramNames.includes('pk')
    ? { tx: signed(on, operation, []), pk: ALICE_WIF }
    : { [first]: signed(on, operation, ['alice']) };
}

/** A document that is larger than a transaction may be. */
const large: Json = [
  'custom_json',
  { fee: '0.030000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json: JSON.stringify('x'.repeat(8192)) },
];

/**
 * The answer to a payment that finds another one in the queue for verifiers, which has room for one and which none of
 * them empties.
 */
async function sendToFullQueue(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true, hasNoVerifiers: true, limits: { queuedBroadcasts: 1 } });
  const answers = ['one', 'other'].map((memo) => own.call(method.name, sending(own, method, payment(memo))));
  // Only the one that is refused is answered at all.
  return await Promise.race(answers);
}

/** The answer to a payment while another one waits for its block, and there is room for no more. */
async function sendWhileOneWaits(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true, limits: { parkedBroadcasts: 1 } });
  void own.call('network_broadcast_api.broadcast_transaction_synchronous', {
    trx: signed(own, payment('first'), ['alice']),
  });
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  return await own.call(method.name, sending(own, method, payment('second')));
}

/** The answer to a payment that has expired by the time of the next block. */
async function sendInVain(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true });
  const answer = own.call(method.name, sendingParams(own, method, 'block'));
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  produce(own.chain, 3000);
  return await answer;
}

/** Returns the params of a payment that waits for this stage. */
function sendingParams(on: NodeOfMethods, method: Method, waitFor: WaitFor): JsonObject {
  return {
    ...sending(on, method, payment()),
    ...(method.paramNames.includes('wait_for') ? { wait_for: waitFor } : {}),
  };
}

/** The answer to a payment whose block is not final, where nobody may wait for that. */
async function sendBesideTooMany(method: Method): Promise<Answer> {
  const own = ownNode({ limits: { waitingForFinality: 0 } });
  return await own.call(method.name, sendingParams(own, method, 'final'));
}

/** The answer to a payment that was dropped while the front heard nothing. */
async function sendAndLose(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true, missesDrops: true });
  const answer = own.call(method.name, sendingParams(own, method, 'block'));
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  own.chain.revert(own.chain.head.number);
  own.missChanges();
  return await answer;
}

/** The answer to a payment that waits for its block when the node stops. */
async function sendAndStop(method: Method): Promise<Answer> {
  const own = ownNode({ producesNoBlocks: true });
  const answer = own.call(method.name, sendingParams(own, method, 'block'));
  for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  own.stop();
  return await answer;
}

/** Provokes the refusals of broadcasts: what waits too long, is too large or one too many. */
export const broadcastRefusals = {
  transaction_expired: sendInVain,
  dropped: sendAndLose,
  not_final: sendBesideTooMany,
  stopping: sendAndStop,
  transaction_too_big: (method) => node.call(method.name, { ...makeExample(method), ...sending(node, method, large) }),
  too_many_broadcasts: sendToFullQueue,
  too_many_waiting: sendWhileOneWaits,
} satisfies Readonly<Record<string, Provocation>>;
