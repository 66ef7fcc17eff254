import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { devGenesisText } from '../../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { VerifierPool } from '../../src/verifiers/verifier_pool.ts';
import { openRocksDb } from '../../src/storage/rocksdb.ts';
import { inLongForm } from '../builders/forms.ts';

const GENESIS_SECONDS = 1_700_000_000;

test(
  'threads that are stopped while they load load to their end, so that their end is no end of the process',
  inLongForm,
  async (t) => {
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
        verifies: () => undefined,
      });
      await pool.close();
      assert.equal(lines, threads);
    }
  },
);

test('each thread has the young generation that the operator has set', async () => {
  const chain = {
    profileName: 'default',
    genesisText: devGenesisText(profileNamed('default'), GENESIS_SECONDS),
    initialSigningKey: undefined,
  };
  const mebibytes: unknown[] = [];
  const started = (message: unknown): void => {
    const worker = typeof message === 'object' && message !== null && 'worker' in message ? message.worker : undefined;
    if (worker instanceof Worker) mebibytes.push(worker.resourceLimits?.maxYoungGenerationSizeMb);
  };
  subscribe('worker_threads', started);
  try {
    const pool = new VerifierPool({ chain, storeHandle: undefined, youngGenerationMib: 24 }, 2);
    await pool.close();
  } finally {
    unsubscribe('worker_threads', started);
  }
  assert.deepEqual(mebibytes, [24, 24]);
});
