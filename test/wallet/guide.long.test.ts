import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newLineageLock } from '../../src/wallet/key_file/lineage_file.ts';
import { secretOfWif } from '../builders/recorded_keys.ts';
import { splitSteps, typeSession } from '../builders/typed_session.ts';
import { quietPort, startChain, temporaryFolder } from './programs.ts';

// The sessions in the guide to the wallet, typed line by line into a shell. `…` stands for anything.

/** The key of an old wallet's holder. */
const OLD_KEY = '5JoQtsKQuH8hC9MyvfJAqo6qmKLm8ePYNucs7tPu2YxG12trzBt';

const guide = readFileSync(new URL('../../../src/pages/guides/use_wallet.md', import.meta.url), 'utf8');
const sessions = [...guide.matchAll(/^```console\n([^]*?)^```/gm)].map(([, session = '']) => session);
const cli = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));

const steps = sessions.flatMap((session) => splitSteps(session));

/** A `pharos` that speaks to the chain of this test. */
function writeCommand(folder: string, port: number): void {
  mkdirSync(join(folder, 'bin'));
  const file = join(folder, 'bin', 'pharos');
  writeFileSync(
    file,
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${cli}" wallet --server ws://127.0.0.1:${port} "$@"\n`,
  );
  chmodSync(file, 0o700);
}

test('a holder’s journey, and that of an old wallet, happen as the guide has them', async () => {
  assert.equal(sessions.length, 2, 'the sessions are found');
  assert.deepEqual(
    guide.match(/^```(\w*)$/gm)?.filter((fence) => fence !== '```'),
    ['```console', '```console'],
  );
  const folder = temporaryFolder();
  const chain = await startChain(join(folder, 'chain'), await quietPort(), '--fresh', '--block-interval-ms', '3000');
  writeCommand(folder, chain.port);
  const [, password = ''] = /PHAROS_WALLET_PASSWORD="(.+)"/.exec(guide) ?? assert.fail('the guide has no password');
  const old = newLineageLock(password).close({ chain: undefined, server: '' }, [secretOfWif(OLD_KEY)]);
  writeFileSync(join(folder, 'old.json'), old, { mode: 0o600 });
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  try {
    typeSession(steps, folder, env);
  } finally {
    await chain.stop();
  }
});
