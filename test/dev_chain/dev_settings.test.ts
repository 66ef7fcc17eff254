import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEBIBYTE } from '../../src/base/bytes.ts';
import { devGenesisText } from '../../src/dev_chain/dev_genesis.ts';
import { devSettings } from '../../src/dev_chain/dev_settings.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';

const chain = { profileName: 'default', genesisText: devGenesisText(profileNamed('default'), 1_600_000_000) };

test('a development chain has small caches while it is young, and those of a node once its folder has grown', () => {
  for (const dataBytes of [undefined, 0, 256 * MEBIBYTE - 1]) {
    const { store, writer } = devSettings({ port: 0, mining: true, dataBytes }, chain);
    assert.deepEqual([store.cacheBytes, writer.rowCacheMib], [32 * MEBIBYTE, 12]);
  }
  const { store, writer } = devSettings({ port: 0, mining: true, dataBytes: 256 * MEBIBYTE }, chain);
  assert.deepEqual([store.cacheBytes, writer.rowCacheMib], [undefined, undefined]);
});
