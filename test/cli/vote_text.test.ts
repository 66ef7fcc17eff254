import assert from 'node:assert/strict';
import { test } from 'node:test';
import { voteText } from '../../src/cli/witness/status.ts';

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
