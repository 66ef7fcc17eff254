import { refusals } from '../base/refusal.ts';
import { transactionSizeRefusals } from '../blocks/transaction_size.ts';

/** What a node refuses about a broadcast before the chain has seen it. */
export const refuseBroadcast = refusals({
  head_too_old: 'the head block is {ageSeconds} seconds old, more than max_block_age',
  already_waited_for: 'Transaction is a duplicate',
  memo_is_owner_key: {
    text: 'Detected private owner key in memo field. You should change your owner keys.',
    lineageCode: 4_100_000,
  },
  memo_is_active_key: {
    text: 'Detected private active key in memo field. You should change your active keys.',
    lineageCode: 4_100_000,
  },
  memo_is_memo_key: { text: 'Detected private memo key in memo field. You should change your memo key.', lineageCode: 4_100_000 },
  too_many_broadcasts: 'this node has as many broadcasts to verify as it can hold; try again',
  too_many_waiting: 'this node has as many broadcasts waiting for a block as it can hold; try again',
});

const { head_too_old, already_waited_for, too_many_broadcasts, too_many_waiting } = refuseBroadcast.texts;
/** What every broadcast may be refused for. */
const always = { ...transactionSizeRefusals, too_many_broadcasts, too_many_waiting };
/** What one that doesn't wait for its block may be refused for, and one that waits and says how old the head may be. */
export const broadcastRefusals = { ...always, head_too_old };
export const synchronousRefusals = { ...always, already_waited_for, head_too_old };
/** What one that waits and takes any head may be refused for. */
export const waitingRefusals = { ...always, already_waited_for };

/** What a node refuses about a block before the chain has seen it. */
export const refuseBlock = refusals({
  block_too_big: 'Block size is bigger than {coin}_MAX_BLOCK_SIZE',
  block_in_future: 'the block is {seconds} seconds ahead of this node, more than 5',
});
