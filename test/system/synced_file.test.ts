import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { appendSynced, SyncedFile } from '../../src/system/synced_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-synced-'));

after(() => rmSync(folder, { recursive: true, force: true }));

const conflict = 'another program appends to this file, too';

function opened(name: string, bytes = 0): SyncedFile {
  const file = new SyncedFile(join(folder, name), { conflict });
  file.open(bytes);
  return file;
}

function readText(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

test('what is appended is in the file at once, which its owner alone can read, and a reopened file goes on', () => {
  const file = opened('grows');
  file.append('one\n');
  file.append('two\n');
  assert.deepEqual([readText('grows'), file.bytes, file.isOpen], ['one\ntwo\n', 8, true]);
  assert.equal(statSync(join(folder, 'grows')).mode & 0o777, 0o600);
  file.close();
  assert.equal(file.isOpen, false);
  assert.throws(() => file.append('three\n'), { code: 'disk' });
  const again = opened('grows', 8);
  again.append('three\n');
  again.close();
  assert.equal(readText('grows'), 'one\ntwo\nthree\n');
});

test('an incomplete record at the end is cut off when the file is opened', () => {
  writeFileSync(join(folder, 'torn'), 'one\ntw');
  const file = opened('torn', 4);
  file.append('two\n');
  file.close();
  assert.equal(readText('torn'), 'one\ntwo\n');
});

test('a second program that appends is a conflict, and nothing is appended any more', () => {
  const [one, other] = [opened('shared'), opened('shared')];
  one.append('one\n');
  assert.throws(() => other.append('two\n'), { code: 'runtime', message: new RegExp(`shared: ${conflict}`) });
  assert.throws(() => other.append('two\n'), { code: 'disk', message: /a write has failed before/ });
  one.append('three\n');
  for (const file of [one, other]) file.close();
  assert.equal(readText('shared'), 'one\nthree\n');
});

test('a file that another program has replaced or removed is a conflict: what is appended there would be lost', () => {
  const [one, other, third] = [opened('moved'), opened('moved'), opened('removed')];
  other.replace('');
  assert.throws(() => one.append('one\n'), { code: 'runtime', message: new RegExp(conflict) });
  other.append('two\n');
  rmSync(join(folder, 'removed'));
  assert.throws(() => third.append('one\n'), { code: 'runtime' });
  for (const file of [one, other, third]) file.close();
  assert.equal(readText('moved'), 'two\n');
});

test('what another program may append is taken in once, before the next append or when it is looked for', () => {
  const path = join(folder, 'others');
  const taken: string[] = [];
  const writeAdded = (added: string): boolean => {
    taken.push(added);
    return added.startsWith('ok');
  };
  const file = new SyncedFile(path, { conflict, takeIn: writeAdded });
  file.open(0);
  file.takeInOthers();
  file.append('one\n');
  assert.equal(appendSynced(path, 'ok 1\n'), 9);
  file.append('two\n');
  appendSynced(path, 'ok 2\n');
  file.takeInOthers();
  file.takeInOthers();
  assert.deepEqual(taken, ['ok 1\n', 'ok 2\n']);
  appendFileSync(path, 'no\n');
  assert.throws(() => file.append('three\n'), { code: 'runtime' });
  file.close();
  assert.equal(readText('others'), 'one\nok 1\ntwo\nok 2\nno\n');
});

test('a file that is left closed grows only behind what it holds', () => {
  const path = join(folder, 'closed');
  writeFileSync(path, 'damaged');
  const file = new SyncedFile(path, { conflict, takeIn: () => true });
  file.leaveClosed();
  file.appendClosed('\none\n');
  assert.deepEqual([readText('closed'), file.bytes, file.isOpen], ['damaged\none\n', 12, false]);
});

test('a replaced file has the new content alone, and grows on', () => {
  const file = opened('replaced');
  file.append('one\ntwo\n');
  file.replace('two\n');
  file.append('three\n');
  file.close();
  assert.deepEqual([readText('replaced'), file.bytes], ['two\nthree\n', 10]);
});

test('a file that can not be opened takes nothing, and says why', () => {
  mkdirSync(join(folder, 'taken'));
  const file = new SyncedFile(join(folder, 'taken'), { conflict });
  assert.throws(() => file.open(0), { code: 'disk', message: /cannot write .*taken: .*EISDIR/ });
  assert.throws(() => file.append('one\n'), { code: 'disk' });
  assert.throws(() => appendSynced(join(folder, 'nowhere', 'file'), 'one\n'), { code: 'disk', message: /ENOENT/ });
  assert.equal(existsSync(join(folder, 'nowhere')), false);
});
