import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { openConnection } from '../../../src/client/connect.ts';
import { encodeWif } from '../../../src/crypto/wif.ts';
import { devGenesisText, devSecret } from '../../../src/dev_chain/dev_genesis.ts';
import type { Sample } from '../../../src/pages/docs/samples.ts';
import { listMethods } from '../../../src/rpc/methods.ts';
import { profiles } from '../../../src/values/profile.ts';
import { agree, inStep, peerPort } from '../../outside/network_nodes.ts';
import { Site } from '../../outside/site.ts';
import { recordCall } from './record_call.ts';

const profile = profiles['default'] ?? assert.fail();

/** Records the reports of two connected nodes about each other, and about their witnesses. */
export async function recordNetwork(methods: Record<string, Sample>): Promise<void> {
  const site = new Site();
  try {
    const maker = site.start(['dev', '--data-dir', site.path('first'), '--port', '0', '--p2p-endpoint', '127.0.0.1:0']);
    await maker.ready();
    const joined = ['--join', `127.0.0.1:${peerPort(maker)}`, '--port', '0'];
    const follower = site.start(['dev', '--data-dir', site.path('second'), ...joined]);
    await follower.ready();
    await agree([maker, follower], 0);
    await inStep(follower, 1);
    const genesis = site.path('genesis.json');
    writeFileSync(genesis, devGenesisText(profile, Math.trunc(systemClock.nowMs() / 1000)));
    const alone = ['--enable-stale-production', '--required-participation', '0', '--accept-low-participation'];
    const witness = site.start([
      ...[
        'run',
        '--genesis-json',
        genesis,
        '--data-dir',
        site.path('third'),
        '--webserver-http-endpoint',
        '127.0.0.1:0',
      ],
      ...['--witness', 'initminer', '--private-key', encodeWif(devSecret('initminer')), ...alone],
    ]);
    await witness.ready();
    for (const { name, example } of listMethods(profile, {
      network: true,
      production: true,
      snapshots: true,
    }).values()) {
      if (!/^((network|witness)_node|snapshot)_api/.test(name)) continue;
      const connection = openConnection(
        `http://127.0.0.1:${(name.startsWith('network') ? follower : witness).port}`,
        systemClock,
      );
      methods[name] = await recordCall(connection, name, example.params);
    }
  } finally {
    await site.clear();
  }
}
