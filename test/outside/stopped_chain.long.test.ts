import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { after, test } from 'node:test';
import { copyJournals } from '../builders/stopped_chain.ts';
import { witnessChain } from '../builders/witness_chain.ts';
import { freePort } from './free_port.ts';
import { agree, peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

const LONG_AGO_SECONDS = 90;

test('witnesses whose heads are all old make no block alone, and go on by themselves once they have found each other', async () => {
  const chain = await witnessChain(site.path('origin'), 2, LONG_AGO_SECONDS);
  const [one, other] = chain.witnesses;
  assert.ok(one !== undefined && other !== undefined);
  const begin = async (name: string, witness: typeof one, ...flags: readonly string[]): Promise<Program> => {
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
      ...['--witness', witness.name, '--private-key', witness.wif, '--p2p-endpoint', '127.0.0.1:0', ...flags],
    ]);
    await program.ready();
    return program;
  };
  const metricsPort = await freePort();
  const aliveWitnesses = async (): Promise<number> => {
    const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(/^pharos_alive_witnesses (\d+)$/m.exec(page)?.[1]);
  };
  const first = await begin('first', one, '--metrics-endpoint', `127.0.0.1:${metricsPort}`);
  const { number } = await first.health();
  await waitUntil('its own word', async () => (await aliveWitnesses()) === 1 || undefined);
  assert.equal((await first.health()).number, number, 'it makes no block alone');
  const second = await begin('second', other, '--p2p-seed-node', `127.0.0.1:${peerPort(first)}`);
  const agreed = await agree([first, second], number + 2);
  assert.ok(agreed.number > number);
  for (const program of [first, second]) assert.equal(await program.stop(), 0);
});
