import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Reader } from '../pages/guides/reader.ts';
import { project } from './commands.ts';

// Types the commands of the guide to read farms.

test('the farm of the guide starts, is written to and read from at any follower, and tells its head', async () => {
  const reader = await Reader.of('farm');
  try {
    const [start = '', post = '', ask = '', ...more] = reader.guide.commands;
    assert.deepEqual(more, []);
    await reader.start(start, /3 followers behind http/);
    assert.match(await reader.run(post), /^every follower has [0-9a-f]{40}\n$/);
    assert.match(await reader.run(ask), /\nx-pharos-head: [1-9]\d* [0-9a-f]{40}\r\n[^]*"head_block_number"/i);
  } finally {
    await reader.leave();
  }
});

test('each setting that the guide names is one, and the lines for HAProxy are of the form of the sample', () => {
  const guide = readFileSync(join(project, 'src/pages/guides/farm.md'), 'utf8');
  const known = readFileSync(join(project, 'scripts/operate/pharos.ini'), 'utf8');
  const settings = [...guide.matchAll(/^```ini\n([^]*?)^```$/gm)].flatMap(([, text = '']) => text.trim().split('\n'));
  assert.ok(settings.length > 10);
  for (const line of settings)
    assert.match(known, new RegExp(`^#? ?${line.slice(0, line.indexOf(' = '))} =`, 'm'), line);
  const named = [...guide.matchAll(/`([a-z0-9]+(?:-[a-z0-9]+)+)`/g)].map(([, name = '']) => name);
  for (const name of ['ready-lag-seconds', 'database-cache-mib', 'snapshot-own']) assert.ok(named.includes(name), name);
  for (const name of named) assert.match(known, new RegExp(`^#? ?${name} =`, 'm'), name);
  const sample = readFileSync(join(project, 'scripts/operate/haproxy.cfg'), 'utf8');
  for (const [line] of guide.matchAll(/^ {2}server .*$/gm))
    assert.ok(sample.includes(line.replace(/10\.0\.0\.1(\d):9193/, (_, k) => `127.0.0.1:919${2 + Number(k)}`)), line);
});
