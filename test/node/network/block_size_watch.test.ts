import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../../src/base/log.ts';
import { BlockSizeWatch } from '../../../src/node/network/block_size_watch.ts';

const MIB = 1024 * 1024;

function watching(): { watch: BlockSizeWatch; lines: string[] } {
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(text);
  const log: Log = { debug: note, notice: note, warning: note, error: note };
  return { watch: new BlockSizeWatch(log, 3), lines };
}

test('a vote for more than 8 MiB is warned of once, and again when it changes; a smaller one is not', () => {
  const { watch, lines } = watching();
  for (let time = 0; time < 3; time++)
    watch.look(
      [
        { witness: 'large', bytes: 9 * MIB },
        { witness: 'modest', bytes: 8 * MIB },
      ],
      [],
    );
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^large votes for blocks of 9\.0 MiB; this network carries 8\.0 MiB/);
  watch.look([{ witness: 'large', bytes: 48 * MIB }], []);
  assert.equal(lines.length, 2);
});

test('links that were measured say what the network carries, unless they are few or fast', () => {
  const { watch, lines } = watching();
  const votes = [{ witness: 'modest', bytes: 4 * MIB }];
  watch.look(votes, [1250, 1250]);
  watch.look(votes, [20_000, 125_000, 1250]);
  assert.deepEqual(lines, []);
  // 10 Mbit/s in the middle: 1.8 MiB in half a slot.
  watch.look(votes, [1250, 1250, 12_500]);
  watch.look(votes, [1260, 1240, 12_500]);
  assert.equal(lines.length, 1);
  assert.match(lines.join(), /^modest votes for blocks of 4\.0 MiB; this network carries 1\.8 MiB/);
});
