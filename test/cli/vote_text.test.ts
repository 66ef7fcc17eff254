import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherKeyTexts, voteText } from '../../src/cli/witness/status.ts';

type Told = Parameters<typeof voteText>[0];

const voter = { witness: 'alice', cast: 0, missed: 9, is_missing: true };
const own = {
  ...{ key: 'PHR1', last_view: 1, lock_view: 1, lock_block_num: 7 },
  ...{ is_whole: true, is_stopped: false, is_replaced: false },
};

test('of a witness it is said how its key votes, and no voter is said to have no vote', () => {
  const says = (told: Partial<Told>): string =>
    voteText({ own: [], votes: [{ ...voter, key: 'PHR1' }], ...told }, 'PHR1');
  assert.equal(says({ own: [own] }), 'votes, locked on block 7');
  assert.match(says({ own: [{ ...own, is_stopped: true }] }), /^stopped: another machine signs/);
  assert.match(says({ own: [{ ...own, is_whole: false }] }), /^waits: /);
  assert.match(says({}), /^not by this node: .*the journal of votes has not begun/);
  assert.equal(says({ votes: [] }), 'its key does not vote in this epoch');
});

test('of a replaced key the node says that it votes on, and of one that another machine uses that it does not', () => {
  const says = (more: Partial<typeof own>, signingKey = 'PHR2'): string =>
    otherKeyTexts({ own: [{ ...own, ...more }], epoch: 3 }, signingKey).join();
  assert.match(says({ is_replaced: true }), /^with PHR1, .* keep its secret beside the new one until epoch 4 begins$/);
  assert.match(says({ is_stopped: true }), /^none with PHR1: another machine signs with it; .*pharos witness unlock$/);
  assert.equal(says({ is_stopped: true }, 'PHR1'), '', 'that is said of its vote');
  assert.equal(says({}), '');
});
