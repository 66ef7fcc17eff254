import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SigningJournalFile } from '../../src/witness/signing/signing_journal_file.ts';
import { Site } from '../outside/site.ts';

// A signing journal on a disk that fails at each of its calls in turn.

const SLOTS = 6;
const [EIO, ENOSPC] = [5, 28];
const source = fileURLToPath(new URL('../../../test/services/faulty_disk.c', import.meta.url));
const writer = fileURLToPath(new URL('journal_writer.js', import.meta.url));
const site = new Site();
const shim = site.path('faulty_disk.so');
const [CHAIN, KEY] = ['ab'.repeat(32), `02${'cd'.repeat(32)}`];

before(() => {
  const { status, stderr, error } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O2', '-o', shim, source, '-ldl', '-lpthread'],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, `a C compiler, cc, is needed: ${error?.message ?? stderr}`);
});

after(() => site.clear());

/** The slots that were signed in a life of the journal on the faulty disk. */
function signWithFault(folder: string, rule: string): { readonly slots: readonly number[]; readonly isWhole: boolean } {
  mkdirSync(folder, { recursive: true });
  const { status, stdout } = spawnSync(process.execPath, [writer, `${folder}/signed`, String(SLOTS)], {
    encoding: 'utf8',
    env: { ...process.env, LD_PRELOAD: shim, FAULTY_DISK_FOLDER: folder, FAULTY_DISK_RULE: rule },
  });
  return {
    slots: stdout
      .split('\n')
      .filter((line) => line !== '')
      .map(Number),
    isWhole: status === 0,
  };
}

for (const call of ['write', 'sync', 'open'])
  for (const what of [String(EIO), String(ENOSPC), `once-${EIO}`, 'short', 'kill', 'lose', 'tear', 'spoil'])
    test(`a ${call} that fails so, ${what}, means that the slot isn't signed, and what was signed is known afterwards`, () => {
      let ended = 0;
      for (let number = 1; number <= SLOTS + 2; number++) {
        const folder = site.path(`${call} ${what} ${number}`);
        const { slots, isWhole } = signWithFault(folder, `${call}:${number}:${what}`);
        if (!isWhole) ended++;
        assert.equal(isWhole, slots.length === SLOTS, `${number}: it goes on behind a failure`);
        const journal = new SigningJournalFile(`${folder}/signed`);
        for (const slot of slots)
          assert.equal(
            journal.signedDigest(CHAIN, KEY, slot),
            slot.toString(16).padStart(64, '0'),
            `slot ${slot} was signed and is forgotten`,
          );
        journal.close();
      }
      assert.ok(ended > 0 || what === 'short' || call === 'open', `${ended} failures`);
    });
