import { refusals } from '../base/refusal.ts';
import { transactionSizeRefusals } from '../blocks/transaction_size.ts';

/** What a node refuses about a broadcast before it reaches the chain. */
export const refuseBroadcast = refusals({
  head_too_old: 'the head block is {ageSeconds} seconds old, more than the max_block_age of {most}; wait until this node has caught up',
  dropped:
    'this node has dropped transaction {id}, which it had accepted: it waits for no block any more; send the same one again until it expires',
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
  memo_holds_keys: {
    text: 'the texts of the transaction hold more than {limit} private keys; nothing was published, but take them out, and change them if they are in use',
    lineageCode: 4_100_000,
  },
  too_many_broadcasts: 'this node has {limit} broadcasts to verify, as many as it can hold; try again in a moment',
  too_many_waiting: 'this node has {limit} broadcasts that wait for a block, as many as it can hold; try again in a moment',
});

const { head_too_old, dropped, transaction_expired, too_many_broadcasts, too_many_waiting } = refuseBroadcast.texts;
/** What every broadcast may be refused for. */
const always = { ...transactionSizeRefusals, too_many_broadcasts, too_many_waiting };
/** For broadcasts that don't wait for their block, and for those that wait and limit the age of the head. */
export const broadcastRefusals = { ...always, head_too_old };
export const synchronousRefusals = { ...always, dropped, head_too_old };
/** For broadcasts that wait and accept any head. */
export const waitingRefusals = { ...always, dropped, transaction_expired };
/** For those that are sent again with another id where theirs is known. */
export const renewedRefusals = { ...always, transaction_expired };

/** What a node refuses about a block before it reaches the chain. */
export const refuseBlock = refusals({
  block_too_big: {
    text: 'the block has {bytes} bytes; at most {most} are taken',
    lineage: 'Block size is bigger than {coin}_MAX_BLOCK_SIZE',
  },
  block_in_future: 'the block is of {timestamp}, {seconds} seconds ahead of this node, more than {most}; wait, or check the clocks',
});
