import { refusals, type Refusal } from '../base/refusal.ts';
import { transactionSizeRefusals } from '../blocks/transaction_size.ts';
import type { refuseCall } from '../jsonrpc/envelope/errors.ts';

/** Refusals of a broadcast by the node, beside those of the chain. */
export const refuseBroadcast = refusals({
  head_too_old:
    'the head block is {ageSeconds} seconds old, more than the max_block_age of {most}; wait until this node has caught up',
  dropped:
    'this node has dropped transaction {id}, which it had accepted: it waits for no block any more; send the same one again until it expires',
  not_final:
    'transaction {id} stands in block {block_num}, which is not final yet; ask transaction_status_api.find_transaction for it, and send nothing in its place before it has expired',
  stopping:
    'the node is stopping and may have accepted the transaction; send the same one again when it is up: no chain takes it twice',
  transaction_expired: {
    text: 'transaction {id} has expired before it got into a block; build it anew and send that',
    lineageCode: 4_030_100,
  },
  memo_is_owner_key: {
    text: 'the {member} contains the private owner key of {account}, or is its password; nothing was published, but change the owner keys now',
    lineage: 'Detected private owner key in memo field. You should change your owner keys.',
    lineageCode: 4_100_000,
  },
  memo_is_active_key: {
    text: 'the {member} contains the private active key of {account}, or is its password; nothing was published, but change the active keys now',
    lineage: 'Detected private active key in memo field. You should change your active keys.',
    lineageCode: 4_100_000,
  },
  memo_is_memo_key: {
    text: 'the {member} contains the private memo key of {account}, or is its password; nothing was published, but change the memo key now',
    lineage: 'Detected private memo key in memo field. You should change your memo key.',
    lineageCode: 4_100_000,
  },
  memo_is_signing_key: {
    text: 'the {member} contains a private key that signed the transaction; nothing was published, but change that key now',
    lineageCode: 4_100_000,
  },
  memo_holds_keys: {
    text: 'the texts of the transaction hold more than {limit} private keys; nothing was published, but take them out, and change them if they are in use',
    lineageCode: 4_100_000,
  },
  too_many_broadcasts: 'this node has {limit} broadcasts to verify, as many as it can hold; try again in a moment',
  too_many_waiting:
    'this node has {limit} broadcasts that wait for a block, as many as it can hold; try again in a moment',
});

const { head_too_old, dropped, not_final, stopping, transaction_expired, too_many_broadcasts, too_many_waiting } =
  refuseBroadcast.texts;
/** Refusals that every broadcast may meet. */
const always = { ...transactionSizeRefusals, stopping, too_many_broadcasts, too_many_waiting };
/** Refusals of a broadcast that waits, once the node has accepted its transaction. */
const ofAccepted = { dropped, not_final };
/** For broadcasts that limit the age of the head. */
export const broadcastRefusals = { ...always, ...ofAccepted, head_too_old };
/** For broadcasts that wait and accept any head. */
export const waitingRefusals = { ...always, ...ofAccepted, transaction_expired };
/** For those that are sent again with another id where theirs is known. */
export const renewedRefusals = { ...always, transaction_expired };

/** Errors of the dispatcher that may stand in place of the answer to a broadcast, whatever has become of it. */
const ofAnyOutcome = [
  'answer_too_large',
  'no_answer_in_time',
  'still_waiting',
] as const satisfies readonly (keyof typeof refuseCall.texts)[];

/** Errors that say nothing against the transaction: a block may have it, or still take it. */
const LEAVES_OPEN: ReadonlySet<string> = new Set([
  ...Object.keys({ ...ofAccepted, stopping }),
  ...ofAnyOutcome,
  'internal_error',
]);

/** The member of an error's data that names an accepted transaction which the node has dropped for this reason. */
const DROPPED_MEMBER = 'dropped_transaction';

/** The details of the reason for which the node has dropped a transaction that it had accepted. */
export function dropDetails(id: string, { details }: Pick<Refusal, 'details'>): Refusal['details'] {
  return { ...details, [DROPPED_MEMBER]: id };
}

/** True when the node has accepted a transaction and dropped it, for whatever reason. */
export function isDropped({ code, details }: Pick<Refusal, 'code' | 'details'>): boolean {
  return code === 'dropped' || details[DROPPED_MEMBER] !== undefined;
}

/**
 * True when a broadcast may end with this error although its transaction is in a block or still gets into one. Other
 * errors are made before the node accepts it, or after its end.
 */
export function leavesOutcomeOpen(refusal: Pick<Refusal, 'code' | 'details'>): boolean {
  return LEAVES_OPEN.has(refusal.code) || isDropped(refusal);
}

/** Refusals of a block before it reaches the chain. */
export const refuseBlock = refusals({
  block_too_big: {
    text: 'the block has {bytes} bytes; at most {most} are taken',
    lineage: 'Block size is bigger than {coin}_MAX_BLOCK_SIZE',
  },
  block_in_future:
    'the block is of {timestamp}, {seconds} seconds ahead of this node, more than {most}; wait, or check the clocks',
});
