import type { Method } from '../../../src/rpc/method.ts';
import type { Answer, NodeOptions } from './node_of_methods.ts';
import { asking, makeExample, node, ownNode, type Provocation } from './provoking_nodes.ts';

/** The answer to the second of two subscriptions. */
async function subscribeTwice(
  method: Method,
  limits: Required<NodeOptions>['limits'],
  connection: 'the same' | 'another',
): Promise<Answer> {
  const own = ownNode({ limits });
  const params = makeExample(method);
  await own.result(method.name, params);
  // Under the same return_id it would take the place of the first.
  const second = { ...Object(params), return_id: 99 };
  return connection === 'another'
    ? await own.callFromAnother(method.name, second)
    : await own.call(method.name, second);
}

/** Resumes from the position of the node's head, changed, and with nothing in it about earlier blocks. */
export async function resumeChanged(method: Method, change: (bytes: Buffer) => void, on = node): Promise<Answer> {
  const { position }: { position?: unknown } = Object(await on.result(method.name, makeExample(method)));
  const bytes = Buffer.from(String(position), 'base64url').subarray(0, 35);
  change(bytes);
  return await on.call(method.name, { ...makeExample(method), resume: bytes.toString('base64url') });
}

/** Provokes the refusals of subscriptions: positions of another chain or branch, and one too many. */
export const subscriptionRefusals = {
  start_not_positive: asking({ start: 0, resume: null }),
  position_of_another_chain: (method) => resumeChanged(method, (bytes) => bytes.writeUInt32BE(1, 1)),
  position_in_future: (method) => resumeChanged(method, (bytes) => bytes.writeUInt32BE(1000, 5)),
  position_replaced: (method) => resumeChanged(method, (bytes) => bytes.writeUInt32BE(0xabcd, 9)),
  no_connection: (method) => node.callOnce(method.name, makeExample(method)),
  too_many_subscriptions: (method) => subscribeTwice(method, { subscriptionsPerSocket: 1 }, 'the same'),
  address_has_too_many_subscriptions: (method) => subscribeTwice(method, { subscriptionsPerAddress: 1 }, 'another'),
  node_has_too_many_subscriptions: (method) => subscribeTwice(method, { subscriptions: 1 }, 'another'),
} satisfies Readonly<Record<string, Provocation>>;
