import { present } from '../../src/base/assert.ts';
import { systemClock } from '../../src/base/clock.ts';
import { readBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import { Chain } from '../../src/chain/chain.ts';
import { connect } from '../../src/client/index.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { chosenHttpServer } from '../../src/jsonrpc/http/listen.ts';
import { readParameters, profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devPublicKey, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { devSettings } from '../../src/dev_chain/dev_settings.ts';
import { withServer, startInOwnThread } from '../../src/dev_chain/own_thread.ts';
import { listMethods } from '../../src/rpc/methods.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { playScene, SCENE_BEGINS } from '../pages/docs/scene.ts';
import { silentLog } from './silent_log.ts';

/** The blocks of a chain that has at least one operation of each kind, but for the one that private nets alone have. */
export interface PlayedScene {
  readonly genesisText: string;
  readonly blocks: readonly VerifiedBlock[];
}

const PROFILE = 'default';
const A_ROUND = 51;

function devWif(name: string): string {
  return encodeWif(devSecret(name));
}

/** Plays the scene of the docs on a chain of this process. */
export async function playedScene(): Promise<PlayedScene> {
  const profile = profileNamed(PROFILE);
  const genesisText = devGenesisText(profile, SCENE_BEGINS, { impersonator: true });
  const settings = devSettings(
    { port: 0, mining: true, automine: true },
    { profileName: PROFILE, genesisText },
    {},
    silentLog,
  );
  const [store, methods] = [new MemoryStore(), listMethods(profile, { debug: true })];
  const httpServer = chosenHttpServer({ named: 'node' });
  const parts = { store, clock: systemClock, log: silentLog };
  const node = await startInOwnThread(withServer(settings, httpServer, methods), parts);
  const client = await connect(`http://127.0.0.1:${present(node.front.ports[0], 'a port')}`);
  try {
    await playScene({
      account: (name) => ({ name, key: devWif(name), publicKey: devPublicKey(name, profile) }),
      send: async (operations, keys) => await client.send(operations, keys),
      jumpAhead: async (seconds) => await client.call('debug_api.jump_ahead', { seconds }),
      mine: async (count) => await client.call('debug_api.produce_blocks', { count: count ?? 1 }),
    });
    await client.send([['witness_stop', { owner: 'alice' }]], [devWif('alice')]);
    // What is irreversible is a round behind.
    await client.call('debug_api.produce_blocks', { count: A_ROUND });
  } finally {
    client.close();
    await node.stop();
  }
  const parameters = readParameters(settings.writer.chain);
  const chain = new Chain({ store, parameters, durable: false });
  const packed = Array.from(
    { length: chain.head.number },
    (_, index) => present(chain.block(index + 1), 'a block').packed,
  );
  return { genesisText, blocks: packed.map((each) => verifyBlock(parameters.chainId, readBlock(each))) };
}
