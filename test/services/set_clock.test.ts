import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { faketimeLibrary } from './faketime.ts';

// A node whose clock is set while it runs, by libfaketime.

const site = new Site();
const offsets = site.path('offset');
let library = '';

before(() => void (library = faketimeLibrary()));

after(() => site.clear());

/** The clock of those who look at it is so many seconds off from now on. */
function setClock(seconds: number): void {
  writeFileSync(offsets, `${seconds < 0 ? '' : '+'}${seconds}`);
}

/** The library looks at the file at each call; timers go on as they were, as on a machine whose clock is set. */
function environment(): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: offsets,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

async function devChain(name: string, ...flags: readonly string[]): Promise<Program> {
  const program = site.start(['dev', '--data-dir', site.path(name), '--port', '0', ...flags], environment());
  await program.ready();
  return program;
}

async function countBlocks(program: Program, ms: number): Promise<number> {
  const { number } = await program.health();
  await pause(ms);
  return (await program.health()).number - number;
}

for (const everyMs of [200, undefined]) {
  test(`with ${everyMs ?? 'no'} ms between blocks a development chain goes on when the clock goes back or ahead by an hour, and hurries not`, async () => {
    setClock(0);
    const program = await devChain(
      `every ${everyMs}`,
      ...(everyMs === undefined ? [] : ['--block-interval-ms', String(everyMs)]),
    );
    for (const seconds of [-3600, 0, 3600, -86_400 * 40]) {
      setClock(seconds);
      const { number } = await program.health();
      await waitUntil('a block', async () => ((await program.health()).number > number ? true : undefined));
      if (everyMs !== undefined) {
        const made = await countBlocks(program, 2000);
        assert.ok(made >= 3 && made <= 20, `${made} blocks in ten intervals, ${seconds} seconds off`);
      }
    }
    assert.equal(await program.stop(), 0);
    assert.match(program.stderr, /the clock of this machine went back by (?:3600|35[89]\d) seconds/);
    assert.equal(program.stderr.match(/went back by/g)?.length, 2, program.stderr);
  });
}

test('a witness of a net whose clock is set back says so, and makes blocks again when it is right', async () => {
  setClock(0);
  const pair = JSON.parse((await site.run(['keys', '--seed', 'clock'])).stdout) as {
    pub_key: string;
    wif_priv_key: string;
  };
  const net = [
    'run',
    '--initminer-mining-pubkey',
    pair.pub_key,
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    '--data-dir',
    site.path('net'),
  ];
  const program = site.start(
    [
      ...net,
      '--witness',
      'initminer',
      '--private-key',
      pair.wif_priv_key,
      '--enable-stale-production',
      'true',
      '--log-level',
      'notice',
    ],
    environment(),
  );
  await program.ready();
  await waitUntil('a block', async () => ((await program.health()).number > 0 ? true : undefined));
  setClock(-600);
  await waitUntil('a word of it', () =>
    /head block is \d+ seconds ahead of the clock of this machine/.test(program.stderr) ? true : undefined,
  );
  await waitUntil('the offset in /health', async () => {
    const body = (await program.http('GET', '/health', {})).body;
    return /"clock_offset_seconds":-(?:59\d|60\d)\b/.test(body) || undefined;
  });
  const { number } = await program.health();
  setClock(0);
  await waitUntil('a block', async () => ((await program.health()).number > number ? true : undefined));
  assert.equal(await program.stop(), 0);
});
