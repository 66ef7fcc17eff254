import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { devGenesisText } from '../../../src/node/dev/dev_genesis.ts';
import { profileNamed } from '../../../src/node/chain_settings.ts';
import { VerifierPool } from '../../../src/node/threads/verifier_pool.ts';
import { openRocksDb } from '../../../src/storage/rocksdb.ts';

const GENESIS_SECONDS = 1_700_000_000;

test('threads that are stopped while they load load to their end, so that their end is no end of the process', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-verifiers-'));
  const store = await openRocksDb(join(folder, 'chain'));
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const genesisText = devGenesisText(profileNamed('default'), GENESIS_SECONDS);
  const chain = { profileName: 'default', genesisText, initialSigningKey: undefined };
  for (const threads of [1, 2, 3]) {
    let lines = 0;
    const line = (): void => void lines++;
    const pool = new VerifierPool({ chain, storeHandle: store.handle }, threads, {
      line,
      batchTook: () => undefined,
      proves: () => undefined,
    });
    await pool.close();
    assert.equal(lines, threads);
  }
});
