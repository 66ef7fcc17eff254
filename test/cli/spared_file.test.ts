import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Command } from 'commander';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { exportCommand } from '../../src/cli/export.ts';
import { loadCommand } from '../../src/cli/load.ts';
import { snapshotCommand } from '../../src/cli/snapshot.ts';
import { requireSpared } from '../../src/cli/spared_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-spared-file-'));
const file = join(folder, 'file');

after(() => rmSync(folder, { recursive: true, force: true }));

/** Files that nothing brings back. */
const KEPT = [
  [`5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK\n`, 'holds private keys'],
  ['{"format": "pharos-wallet", "version": 1}', 'holds private keys'],
  ['{"cipher_keys": "00", "ws_server": ""}', 'holds private keys'],
  ['{\n  "initial_public_key": "PHR6"', 'is a genesis'],
] as const;

test('an output takes the place of no file with keys and of no genesis', () => {
  for (const [text, why] of KEPT) {
    writeFileSync(file, text);
    assert.throws(() => requireSpared(file, '--out'), {
      code: 'configuration',
      message: `--out: ${file} is there already and ${why}: name another file`,
    });
  }
  for (const text of ['', '{"jsonrpc": "2.0"}', 'blocks']) {
    writeFileSync(file, text);
    requireSpared(file, '--out');
  }
  requireSpared(folder, '--out');
  requireSpared(join(folder, 'new'), '--out');
});

test('an output with a form of its own takes the place of its kind only', () => {
  const own = { beginning: '{\n "written"', name: 'bundle' };
  writeFileSync(file, 'a journal');
  assert.throws(() => requireSpared(file, '--out', own), {
    message: /is there already and is no bundle: name another/,
  });
  writeFileSync(file, '{\n "written": "2026-11-30T00:00:00.000Z"');
  requireSpared(file, '--out', own);
});

test('each command refuses such an output before it does anything', async () => {
  writeFileSync(file, KEPT[0][0]);
  for (const [command, ...args] of [
    [doctorCommand(), 'doctor', '--bundle', file],
    [snapshotCommand(), 'snapshot', 'create', '--url', 'http://127.0.0.1:9', '--out', file],
    [exportCommand(), 'export', '--url', 'http://127.0.0.1:9', '--block-log', file],
    [loadCommand(), 'load', '--rate', '1', '--json', file],
    [loadCommand(), 'load', '--rate', '1', '--report', file],
    [loadCommand(), 'load', 'compare', 'a', 'b', '--report', file],
  ] as const)
    await assert.rejects(new Command().addCommand(command).parseAsync([...args], { from: 'user' }), {
      code: 'configuration',
      message: /holds private keys: name another file$/,
    });
});
