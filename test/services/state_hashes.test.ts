import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { isLong, project, run, temporaryFolder } from './commands.ts';
import { installedNode, nodeVersions } from './nodes.ts';

// The recorded network of the lineage, applied on each Node: all must come to the same state.

const SHORT = 1500;
const LAST = 31_317;
const folder = temporaryFolder();
const blockLog = join(folder, 'block_log');
const last = isLong ? LAST : SHORT;

/** The head and its state hash, as the import says them. */
async function fetchStateHash(version: (typeof nodeVersions)[number]): Promise<string> {
  const chain = ['--genesis', join(project, 'test/lineage/genesis.json'), '--profile', 'lineage'];
  // Whoever ran the recorded network had it begin with another key than the genesis names.
  const key = ['--initial-signing-key', 'SPH6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4'];
  const place = ['--block-log', blockLog, '--data-dir', join(folder, version), '--stop-at', String(last)];
  const program = process.versions.node === version ? process.execPath : installedNode(version);
  const args = [join(project, 'build/program/node/cli.js'), 'import', ...chain, ...key, ...place];
  const { code, stderr } = await run(program, args, { folder: project });
  assert.equal(code, 0, stderr);
  return (
    new RegExp(`head block ${last} [0-9a-f]{40}, state hash [0-9a-f]{64}`).exec(stderr)?.[0] ?? assert.fail(stderr)
  );
}

test(`after ${last} recorded blocks the state hash is the same on every Node`, async () => {
  writeFileSync(blockLog, gunzipSync(readFileSync(join(project, 'test/lineage/block_log.gz'))));
  const heads = new Map<string, string>();
  for (const version of nodeVersions) heads.set(version, await fetchStateHash(version));
  assert.equal(new Set(heads.values()).size, 1, JSON.stringify([...heads]));
});
