import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Json } from '../../src/codec/json.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import { lies, makeWorlds, type Lie } from '../client/verified/lies.ts';
import { LyingNode, NodesOverHttp } from '../client/verified/lying_node.ts';
import { temporaryFolder } from './programs.ts';

// A wallet with a checkpoint, and nodes that lie to it.

const worlds = makeWorlds(Math.trunc(Date.now() / 1000));
const { honest } = worlds;
const id = honest.block(honest.newest).transactions[0]?.id ?? assert.fail();
/** It shows another amount than the block has. */
const dearer: Lie = {
  name: 'a dearer transfer',
  refused: 'answer_not_proven',
  json: (method, members) =>
    method === 'alexandria_api.get_transaction'
      ? JSON.parse(JSON.stringify(members).replace('2.500000 COIN', '2500.000000 COIN'))
      : members,
};
const told = [...lies.filter(({ refused, trusted }) => refused !== undefined && trusted === undefined), dearer];
const server = new NodesOverHttp(
  new Map([...told.map((lie) => [lie.name, new LyingNode(worlds, lie)] as const), ['honest', new LyingNode(worlds)]]),
);
before(async () => await server.listen());
after(() => server.close());

async function shown(
  name: string,
  words: readonly Json[],
  checkpoint: string,
): Promise<{ result: Json; said: string }> {
  const session = openWallet({
    ...{ walletFile: join(temporaryFolder(), 'wallet.json'), server: server.url(name), offline: false, chainId: '' },
    ...{ profile: 'default', maxFee: '1', feeSymbol: '', trustTime: false, yes: false, expirationSeconds: 0 },
    ...{ lockAfterMinutes: 0, clock: systemClock, onIdleLock: () => undefined, checkpoint },
  });
  let said = '';
  try {
    const [command = '', ...args] = words;
    const result = await session.run(session.named(String(command)), args, { tell: (text) => void (said += text) });
    return { result, said };
  } finally {
    session.close();
  }
}

test('a wallet with a checkpoint says what is proven, and how old the newest final block is', async () => {
  const { result, said } = await shown('honest', ['get_transaction', id], honest.checkpoint(8));
  assert.match(JSON.stringify(result), /2\.500000 COIN/);
  assert.match(said, /^proven to be final; the newest final block, 80, is \d+ s old$/);
  const block = await shown('honest', ['get_block', 77], honest.checkpoint(8));
  assert.match(block.said, /^proven to be final/);
  const without = await shown('honest', ['get_transaction', id], '');
  assert.equal(without.said, '');
});

test('each lie about a transaction is refused by its reason before anything is shown', async () => {
  for (const lie of told) {
    const { checkpoint, transaction } = new LyingNode(worlds, lie);
    // What is false of one block's proof is false of another's, but not a false number or id.
    if (lie.final !== undefined || lie.name.startsWith('a replayed proof of another block')) continue;
    await assert.rejects(
      shown(lie.name, ['get_transaction', transaction], checkpoint),
      { code: lie.refused },
      lie.name,
    );
  }
});
