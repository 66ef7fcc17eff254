import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { highestCheckpoint, isRefuted, UnverifiedBlocks } from '../../src/data_folder/unverified_blocks.ts';

type Named = readonly [number, string];
const LOW: Named = [10, '0000000a'.padEnd(40, '1')];
const HIGH: Named = [20, '00000014'.padEnd(40, '2')];
const OTHER: Named = [20, LOW[1]];

test('a folder with blocks that only a checkpoint vouches for is not used without it, nor kept when it is refuted', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-unproved-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.deepEqual(
    [highestCheckpoint([]), highestCheckpoint([HIGH, LOW])?.number, highestCheckpoint([LOW, HIGH])?.number],
    [undefined, 20, 20],
  );
  const unproved = (): UnverifiedBlocks => new UnverifiedBlocks(folder, highestCheckpoint([LOW, HIGH]));
  assert.equal(isRefuted(folder, []), false);
  unproved().note(20);
  unproved().refuteAll();
  assert.equal(isRefuted(folder, []), false, 'what is not below the checkpoint is nobody’s business');
  unproved().note(19);
  assert.equal(isRefuted(folder, [LOW, HIGH]), false);
  for (const checkpoints of [[], [LOW], [OTHER]]) {
    assert.throws(() => isRefuted(folder, checkpoints), {
      code: 'configuration',
      message: /give checkpoint = \[20, "00000014222/,
    });
  }
  unproved().reached(19);
  assert.throws(() => isRefuted(folder, []), { code: 'configuration' });
  unproved().reached(20);
  assert.equal(isRefuted(folder, []), false);
  unproved().note(0);
  assert.throws(() => unproved().refuteAll(), {
    code: 'damaged_data',
    message: /do not lead to the checkpoint, block 20/,
  });
  assert.equal(isRefuted(folder, []), true);
});
