import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { serviceManager } from '../../src/system/service_manager.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { waitUntil } from '../outside/wait_until.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-notify-'));
const said = join(folder, 'said');
const { PATH: path = '' } = process.env;

// In place of systemd's program one that writes down what it is to say.
before(() => {
  const program = join(folder, 'systemd-notify');
  writeFileSync(said, '');
  writeFileSync(program, `#!/bin/sh\necho "$*" >> ${said}\n`);
  chmodSync(program, 0o755);
  process.env['PATH'] = `${folder}${delimiter}${path}`;
});

after(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true, force: true });
});

const lines = (): string[] =>
  readFileSync(said, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
const heard = async (count: number): Promise<void> =>
  void (await waitUntil('the words', () => lines().length >= count || undefined));

test('a node that does not answer gives no word, and none is owed for it when it answers again', async () => {
  const clock = new HandClock(0);
  const environment = { NOTIFY_SOCKET: '/run/nobody', WATCHDOG_USEC: '3000000' };
  const manager = serviceManager(environment, clock, (why) => assert.fail(why)) ?? assert.fail('there is a manager');
  let answer: (() => void) | undefined;
  let asked = 0;
  manager.ready({
    answers: () => {
      asked++;
      return new Promise((resolve) => (answer = resolve));
    },
    status: () => 'head block 7',
  });
  await heard(1);
  clock.pass(1000);
  assert.equal(asked, 1, 'it is asked three times in the time after which a word is missed');
  clock.pass(60_000);
  assert.equal(asked, 1, 'a node that owes an answer is not asked again');
  assert.deepEqual(lines(), ['READY=1 STATUS=head block 7']);
  answer?.();
  await heard(2);
  clock.pass(1000);
  assert.equal(asked, 2);
  manager.stopping();
  answer?.();
  await heard(3);
  assert.deepEqual(lines(), [
    'READY=1 STATUS=head block 7',
    'WATCHDOG=1 STATUS=head block 7',
    'STOPPING=1 STATUS=stopping',
  ]);
});

test('without a socket in the environment there is nobody to tell', () => {
  assert.equal(
    serviceManager({}, new HandClock(0), (why) => assert.fail(why)),
    undefined,
  );
  assert.equal(
    serviceManager({ NOTIFY_SOCKET: '' }, new HandClock(0), (why) => assert.fail(why)),
    undefined,
  );
});
