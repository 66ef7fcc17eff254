import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { copyJournals } from '../builders/stopped_chain.ts';
import { witnessChain } from '../builders/witness_chain.ts';
import { peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

/** The slots in a journal. */
function journalSlots(journal: string): number[] {
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const said: { slot?: number } = JSON.parse(line);
    return said.slot ?? [];
  });
}

test('a frozen machine that wakes beside one with the same key signs nothing that the other one has signed', async () => {
  const chain = await witnessChain(site.path('origin'), 2);
  const [doubled, other] = chain.witnesses;
  assert.ok(doubled !== undefined && other !== undefined);
  const begin = async (name: string, witness: typeof doubled, ...flags: readonly string[]): Promise<Program> => {
    cpSync(chain.dataFolder, site.path(name), { recursive: true });
    copyJournals(chain.dataFolder, witness.name, site.path(`${name}.signed`));
    const program = site.start([
      ...[
        'run',
        '--genesis-json',
        chain.genesisFile,
        '--data-dir',
        site.path(name),
        '--webserver-http-endpoint',
        '127.0.0.1:0',
      ],
      ...[
        '--witness',
        witness.name,
        '--private-key',
        witness.wif,
        '--enable-stale-production',
        '--required-participation',
        '0',
      ],
      '--accept-low-participation',
      ...['--p2p-endpoint', '127.0.0.1:0', ...flags],
    ]);
    await program.ready();
    return program;
  };
  const hub = await begin('hub', other);
  const seed = ['--p2p-seed-node', `127.0.0.1:${peerPort(hub)}`];
  const first = await begin('first', doubled, ...seed);
  await waitUntil('blocks of the first one', () => journalSlots(site.path('first.signed')).length > 2 || undefined);
  first.freeze();
  // Another machine with the key and a backup of the journal takes over, behind a round of others' blocks.
  const second = await begin('second', doubled, ...seed);
  await waitUntil('blocks of the second one', () => journalSlots(site.path('second.signed')).length > 2 || undefined);
  first.thaw();
  await waitUntil(
    () => `that the first one stops, which said ${first.stderr}`,
    () => first.stderr.includes('another machine signs with') || undefined,
  );
  const { number } = await second.health();
  await waitUntil('more blocks', async () => (await second.health()).number > number + 2 || undefined);
  for (const program of [first, second, hub]) assert.equal(await program.stop(), 0);
  // Both have the record of the backup.
  const [ours, theirs] = [
    journalSlots(site.path('first.signed')).slice(1),
    journalSlots(site.path('second.signed')).slice(1),
  ];
  assert.deepEqual(
    ours.filter((slot) => theirs.includes(slot)),
    [],
  );
});
