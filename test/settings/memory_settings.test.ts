import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { openLog } from '../../src/base/log.ts';
import { devPublicKey } from '../../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import type { NodeSettings } from '../../src/settings/node_settings.ts';
import { readConfig } from '../../src/settings/read_config.ts';
import { readNodeSettings } from '../../src/settings/read_node_settings.ts';
import { busyThreadLimits } from '../../src/system/thread_memory.ts';

const privateNet = { 'initminer-mining-pubkey': devPublicKey('initminer', profileNamed('default')) };

const read = async (flags: Readonly<Record<string, string>>): Promise<Omit<NodeSettings, 'folder'>> =>
  await readNodeSettings(
    readConfig({ iniFile: undefined, environment: {}, flags: { ...privateNet, ...flags } }).values,
    openLog({ level: 'error' }, 'test'),
  );

const { maxOldGenerationSizeMb = Infinity } = busyThreadLimits({});

test('the young generation of the writer and of each verifier is the operator’s, or 48 MiB', async () => {
  for (const [text, mebibytes] of [
    ['24', 24],
    ['96', 96],
    [undefined, 48],
  ] as const) {
    const { writer, verifiers } = await read(text === undefined ? {} : { 'young-generation-mib': text });
    for (const settings of [writer, verifiers])
      assert.deepEqual(busyThreadLimits(settings), { maxYoungGenerationSizeMb: mebibytes, maxOldGenerationSizeMb });
  }
});

test('a busy thread may have less than 2 GiB of old values, so that V8 collects them early', () => {
  assert.ok(maxOldGenerationSizeMb < 2048);
});

test('the memory for the writer’s rows is the operator’s, or 64 MiB', async () => {
  assert.equal((await read({ 'row-cache-mib': '16' })).writer.rowCacheMib, 16);
  assert.equal((await read({})).writer.rowCacheMib, 64);
});

test('a young generation of no mebibytes is refused by name', async () => {
  await assert.rejects(
    read({ 'young-generation-mib': '0' }),
    (error) =>
      error instanceof Fault && error.code === 'configuration' && error.message.includes('young-generation-mib'),
  );
});
