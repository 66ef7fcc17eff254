import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Fault } from '../../../src/base/fault.ts';
import { errorExitCode } from '../../../src/system/exit_codes.ts';
import { NetworkClient } from '../../../src/node/network/network_client.ts';
import type { FromNetwork, ToNetwork } from '../../../src/node/network/network_messages.ts';
import { directPorts } from '../../../src/system/direct_ports.ts';

test('a node whose state is not that of a node that it trusts ends as one with damaged data does, and is told so once', async () => {
  const [near, far] = directPorts<FromNetwork, ToNetwork>();
  const faults: Fault[] = [];
  const client = new NetworkClient(near, {
    blocks: {
      submit: async () => await Promise.resolve([]),
      submitVerified: async () => await Promise.resolve([]),
      judge: async () => await Promise.resolve({ kind: 'known' }),
      verifyPacked: async () => await Promise.resolve([]),
    },
    transactions: { submit: async () => await Promise.resolve([]) },
    takeAlive: async () => await Promise.resolve(false),
    told: () => undefined,
    standbySwitch: () => undefined,
    heardVotes: () => undefined,
    failed: (fault) => void faults.push(fault),
    end: async () => await Promise.resolve(),
  });
  for (const text of ['the state behind block 1000 is another one', 'the state behind block 2000 is another one'])
    far.post({ kind: 'failed', code: 'damaged_data', message: text });
  await assert.rejects(client.opened(), { code: 'damaged_data' });
  assert.deepEqual(
    faults.map((fault) => [fault.message, errorExitCode(fault)]),
    [['the state behind block 1000 is another one', 3]],
  );
});
