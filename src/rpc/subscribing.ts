import { refusals } from '../base/refusal.ts';
import { writeJson } from '../codec/json_writer.ts';
import { u64, enumeration } from '../codec/primitives.ts';
import { accountName } from '../values/account_name.ts';
import { startNumber } from '../queries/documents.ts';
import { coded, type ParamsOf } from '../jsonrpc/envelope/params.ts';
import type { Call } from './services.ts';
import { subscriptionRefusals } from '../notices/subscription_counts.ts';

const refuse = refusals({
  start_not_positive: {
    text: 'a start of 1 or more expected, got {start}: the first document has the number 1',
    lineage: '_args.start > 0: ',
  },
  unknown_search_type: {
    text: 'there is no search_type {search_type}; there are {known}',
    lineage: 'false: Unknown search type argument',
  },
  no_connection:
    'documents are sent over a WebSocket only, because an HTTP request has nobody to send them to; ask over ws://',
});

/** The refusals of both subscription methods. */
export const subscribingRefusals = { ...refuse.texts, ...subscriptionRefusals };

/** The params of both methods; `start` is the first number wanted. */
export const subscriptionParams = {
  return_id: coded(u64, { description: 'stands in each notice' }),
  app_id: coded(u64),
  account_name: coded(accountName),
  search_type: coded(enumeration('by_sender', 'by_recipient', 'by_sender_reverse', 'by_recipient_reverse'), {
    description: 'whose documents; the direction makes no difference',
  }),
  start: coded(startNumber, {
    default: null,
    description: 'the number of the first document that is wanted, from 1; -1 for those that come from now on',
  }),
};

/** Starts a subscription for the caller; returns its `return_id`. */
export function subscribe(
  { return_id, app_id, account_name, search_type, start }: ParamsOf<typeof subscriptionParams>,
  { subscriber, notices, encoding }: Call,
): bigint {
  if (start !== null && start < 1n) refuse.start_not_positive({ start });
  const [, side] = /^by_(sender|recipient)(?:_reverse)?$/.exec(search_type) ?? [];
  if (side !== 'sender' && side !== 'recipient')
    return refuse.unknown_search_type({ search_type, known: ['by_sender', 'by_recipient'] });
  if (subscriber === undefined) return refuse.no_connection();
  notices.subscribe({
    subscriber,
    returnId: writeJson(u64.toJson(return_id, encoding)),
    key: { side, account_name, app_id },
    start,
  });
  return return_id;
}
