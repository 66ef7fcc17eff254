import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pastChain, type PastChain } from '../builders/past_chain.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';
import { textMember, type Json } from './json.ts';
import { nodeId, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
const file = site.path('state.avro');
const [keyFile, otherKeyFile] = [site.path('sign.key'), site.path('other.key')];
let past: PastChain;
let key: string;
let otherKey: string;

/** A chain's snapshot, signed by somebody. */
before(async () => {
  past = await pastChain(site.path('past'), 40);
  [key, otherKey] = [await newKey(keyFile), await newKey(otherKeyFile)];
  const { code, stderr } = await snapshot(
    'create',
    '--data-dir',
    site.path('past', 'chain'),
    '--out',
    file,
    '--sign-with',
    keyFile,
  );
  assert.equal(code, 0, stderr);
});

after(() => site.clear());

async function newKey(path: string): Promise<string> {
  const { stdout } = await site.run(['keys', '--key-file', path]);
  const said: Json = JSON.parse(stdout);
  return textMember(said, 'pub_key');
}

async function snapshot(...args: string[]): Promise<Finished> {
  return await site.run(['snapshot', ...args]);
}

function fileSum(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

test(
  'a file that somebody has signed is taken by the key that the command or the settings name, and nothing else of it',
  inShortForm,
  async () => {
    const settings = site.path('node.ini');
    writeFileSync(settings, `snapshot-signed-by = ${otherKey}\nsnapshot-signed-by = ${key}\n`);
    const taken: readonly (readonly string[])[] = [
      ['--snapshot-signed-by', key],
      ['--snapshot-signed-by', otherKey, key],
      ['--config', settings],
    ];
    for (const [index, said] of taken.entries()) {
      const { code, stderr } = await snapshot('load', file, '--data-dir', site.path(`signed${index}`), ...said);
      assert.equal(code, 0, stderr);
    }
    const [unsigned, changed, strange] = [
      site.path('unsigned.avro'),
      site.path('changed.avro'),
      site.path('strange.avro'),
    ];
    for (const copy of [unsigned, changed, strange]) copyFileSync(file, copy);
    copyFileSync(`${file}.sig`, `${changed}.sig`);
    appendFileSync(changed, 'more');
    writeFileSync(`${strange}.sig`, readFileSync(`${file}.sig`, 'utf8').replace(/"signature":"../, '"signature":"zz'));
    const nowhere = site.path('nowhere');
    const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
      [file, ['--snapshot-signed-by', otherKey], /is signed by \S+, which is none of the keys/],
      [file, ['--snapshot-signed-by', 'nokey'], /snapshot-signed-by: not a public key with prefix/],
      [unsigned, ['--snapshot-signed-by', key], /there is no signature .*unsigned\.avro\.sig/],
      [changed, ['--snapshot-signed-by', key], /signs another file than .*changed\.avro/],
      [strange, ['--snapshot-signed-by', key], /is no signature of a snapshot/],
    ];
    for (const [path, said, text] of refused) {
      const { code, stderr } = await snapshot('load', path, '--data-dir', nowhere, ...said);
      assert.deepEqual([code, text.test(stderr), existsSync(nowhere)], [2, true, false], stderr);
    }
  },
);

test(
  'a node that begins with somebody else’s file is ready when a peer whose id is given has its block, and not before',
  inLongForm,
  async () => {
    const maker = await run(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
    const address = `127.0.0.1:${peerPort(maker)}`;
    const loaded = await snapshot('load', file, '--data-dir', site.path('foreign'), '--sha256', fileSum(file));
    assert.equal(loaded.code, 0, loaded.stderr);
    assert.match(loaded.stdout, /not ready before/);
    const alone = await site.run(['run', '--genesis-json', past.genesisFile, '--data-dir', site.path('foreign')]);
    assert.deepEqual(
      [alone.code, /which peers must confirm: give p2p-seed-node/.test(alone.stderr)],
      [2, true],
      alone.stderr,
    );

    const unsure = await run(site, past, 'foreign', '--p2p-seed-node', address);
    // It follows the chain, and one peer of three that may be anybody is too few.
    await waitUntil('one peer that has the block', async () => {
      const { status, problems } = await readiness(unsure);
      assert.equal(status, 503);
      return /in the chains of 1 of 3 peers/.test(problems) || undefined;
    });
    assert.equal(await unsure.stop(), 0);

    const sure = await run(site, past, 'foreign', '--p2p-seed-node', `${nodeId(maker)}@${address}`);
    await becomesReady(sure);
    assert.equal(await sure.stop(), 0);

    // It is asked once.
    const again = await run(site, past, 'foreign', '--p2p-seed-node', address);
    await becomesReady(again);
    for (const program of [again, maker]) assert.equal(await program.stop(), 0);
  },
);

async function readiness(program: Program): Promise<{ readonly status: number; readonly problems: string }> {
  const { status, body } = await program.http('GET', '/readyz', {});
  return { status, problems: body };
}

async function becomesReady(program: Program): Promise<void> {
  await waitUntil('a node that is ready', async () => ((await readiness(program)).status === 200 ? true : undefined));
}
