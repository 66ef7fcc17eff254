import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { inLongForm } from '../builders/forms.ts';
import { PrivateNet } from './private_net.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
const net = new PrivateNet(site, 'net');

after(async () => {
  await net.leave();
  await site.clear();
});

/** True when a process lives: an ended one stays in the list as a zombie until somebody asks. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !existsSync(stat) || !readFileSync(stat, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

/** A net whose command is killed as soon as its first node runs, as by a terminal that is closed. */
async function upAndKilled(): Promise<void> {
  const command = site.start(['net', 'up', '--nodes', '2', '--dir', 'net']);
  await waitUntil(
    'the first process of a node',
    () => existsSync(site.path('net', 'node1', 'started.json')) || undefined,
  );
  command.kill();
  await command.exited;
}

test('a net survives its command, is complete after a second one, loses and gets back a node, and leaves nothing', async () => {
  await upAndKilled();
  assert.match(await net.done('up'), /initminer\n[^]*witness2\n[^]*keys of all accounts: .*net\/keys/);
  const rows = await net.awaitFinal(0);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['up', 'up'],
  );
  const page = await fetch(rows[0]?.url ?? '', { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /<html/);

  await net.done('kill', '2');
  assert.deepEqual(
    (await net.rows()).map(({ state }) => state),
    ['up', 'down'],
  );
  assert.equal(isAlive(rows[1]?.pid ?? 0), false);
  await net.done('up');
  const again = await net.awaitFinal(Math.max(...rows.map(({ head }) => head)));
  assert.equal(again[0]?.pid, rows[0]?.pid, 'the other node went on');
  assert.equal(again[1]?.state, 'up');

  await net.done('down', '--delete');
  assert.ok(again.every(({ pid }) => !isAlive(pid)));
  assert.equal(existsSync(site.path('net')), false);
});

test(
  'four nodes with seven witnesses make blocks final while one of them is killed, and after all were down',
  inLongForm,
  async () => {
    await net.done('up', '--nodes', '4', '--witnesses', '7');
    const before = Math.max(...(await net.awaitFinal(0)).map(({ head }) => head));
    // It has one of the seven witnesses.
    await net.done('kill', '4');
    await net.awaitFinal(before + 7);
    const wrong = await net.order('up', '--nodes', '5');
    assert.deepEqual([wrong.code, /has 4 nodes, 7 witnesses/.test(wrong.stderr)], [2, true], wrong.stderr);
    await net.done('down');
    assert.ok((await net.rows()).every(({ state }) => state === 'down'));
    await net.done('up');
    await net.awaitFinal(before + 8);
    await net.done('down', '--delete');
  },
);

test('what can’t be meant is refused, and nobody’s files are touched', async () => {
  const none = await site.run(['net', 'status', '--dir', 'nowhere']);
  assert.deepEqual(
    [none.code, /there is no net in nowhere; pharos net up makes one/.test(none.stderr)],
    [2, true],
    none.stderr,
  );
  assert.equal(existsSync(site.path('nowhere')), false);
  writeFileSync(site.path('genesis.json'), 'mine');
  const own = await site.run(['net', 'up', '--dir', '.']);
  assert.deepEqual([own.code, /holds other files/.test(own.stderr)], [2, true], own.stderr);
  assert.equal(readFileSync(site.path('genesis.json'), 'utf8'), 'mine');
  for (const [words, text] of [
    [['up', '--nodes', '51'], /--nodes: 1 to 50 expected, got 51/],
    [['up', '--witnesses', '256'], /--witnesses: 1 to 255 expected, got 256/],
    [['up', '--nodes', 'many'], /a positive whole number expected/],
    [['kill'], /missing required argument/],
  ] as const) {
    const { code, stderr } = await site.run(['net', ...words, '--dir', 'other']);
    assert.deepEqual([code, text.test(stderr)], [2, true], stderr);
  }
});
