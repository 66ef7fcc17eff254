import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SLOT_HISTORY_FILE, SlotHistoryFile } from '../../../src/witness/signing/slot_history_file.ts';
import { SlotHistory, type SlotOutcome } from '../../../src/witness/slot_history.ts';

const NOW = 1_800_000_000;

function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-slots-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function made(timestamp: number): SlotOutcome {
  return { timestamp, reason: undefined };
}

test('slots of the last day, made and missed, are known to the next start, those of each witness by themselves', (context) => {
  const folder = temporaryFolder(context);
  const warned: string[] = [];
  const begin = (): SlotHistory => new SlotHistory(new SlotHistoryFile(folder, (sentence) => warned.push(sentence)));
  const first = begin();
  first.note('alice', made(NOW - 90_000));
  first.note('alice', { timestamp: NOW - 80_000, reason: 'late' });
  first.note('bob', { timestamp: NOW - 70_000, reason: 'stood_still' });
  const second = begin();
  second.note('alice', made(NOW));
  const third = begin();
  assert.deepEqual(third.of('alice'), [{ timestamp: NOW - 80_000, reason: 'late' }, made(NOW)]);
  assert.deepEqual(third.of('bob'), [{ timestamp: NOW - 70_000, reason: 'stood_still' }]);
  assert.deepEqual(warned, []);
});

test('lines that are damaged or of another version are told once and left out, and the file is kept', (context) => {
  const folder = temporaryFolder(context);
  const path = join(folder, SLOT_HISTORY_FILE);
  const warned: string[] = [];
  const file = new SlotHistoryFile(folder, (sentence) => warned.push(sentence));
  file.add('alice', made(NOW));
  appendFileSync(join(folder, SLOT_HISTORY_FILE), 'alice 180000\nalice 1800000003 toString\n\0\0\0\nalice x late\n');
  file.add('alice', made(NOW + 6));
  appendFileSync(join(folder, SLOT_HISTORY_FILE), 'alice 1800');
  const damaged = readFileSync(path);
  const whole = [
    ['alice', made(NOW)],
    ['alice', made(NOW + 6)],
  ];
  assert.deepEqual(file.read(), whole);
  assert.equal(warned.length, 1);
  assert.match(
    warned[0] ?? '',
    /own_slots: 5 lines can't be read, first line 2: .*nothing else depends on them; .*own_slots\.damaged/,
  );
  assert.deepEqual(readFileSync(`${path}.damaged`), damaged);
  file.add('alice', made(NOW + 9));
  assert.deepEqual(
    file.read(),
    [...whole, ['alice', made(NOW + 9)]],
    'the next slot does not stand behind the torn line',
  );
  assert.equal(warned.length, 1);
});

test('the file does not grow for ever, and what is cut are the oldest slots', (context) => {
  const folder = temporaryFolder(context);
  const file = new SlotHistoryFile(folder, (sentence) => assert.fail(sentence));
  const witness = 'sixteen-letters1';
  const slots = 25_000;
  for (let slot = 0; slot < slots; slot++) file.add(witness, made(NOW + 3 * slot));
  assert.ok(statSync(join(folder, SLOT_HISTORY_FILE)).size <= 512 * 1024 + 64);
  const known = file.read();
  assert.ok(known.length >= 4000);
  assert.deepEqual(known.at(-1), [witness, made(NOW + 3 * (slots - 1))]);
  assert.equal(readFileSync(join(folder, SLOT_HISTORY_FILE), 'utf8').split('\n').length, known.length + 1);
});

test('a disk that takes nothing costs a warning and no slot', (context) => {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, SLOT_HISTORY_FILE));
  const warned: string[] = [];
  const history = new SlotHistory(new SlotHistoryFile(folder, (sentence) => warned.push(sentence)));
  for (let slot = 0; slot < 3; slot++) history.note('alice', made(NOW + 3 * slot));
  assert.equal(history.of('alice').length, 3);
  assert.equal(warned.length, 1);
  assert.match(warned[0] ?? '', /^own slots are not remembered beyond a restart: /);
});
