import type { Clock } from '../../src/base/clock.ts';
import { HeartbeatRound } from '../../src/witness/heartbeat_round.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import type { Producer } from '../../src/witness/produce.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import type { SimNode } from './sim_node.ts';

/** The witnesses of a round as a machine knows them; its own sign with their keys. */
export function makeHeartbeatRound(node: SimNode, clock: Clock, producer: Producer): HeartbeatRound {
  const { chain, options, world } = node;
  const { chainId, blockIntervalSeconds: intervalSeconds } = world.parameters;
  return new HeartbeatRound({
    ...{ chain: chainId, intervalSeconds, clock, view: chain, producer },
    signer: new LocalSigner(
      [...options.witnesses.map((name) => options.keyName ?? name), ...(options.furtherKeyNames ?? [])].map(testSecret),
    ),
    isHeldBack: (witness) => {
      const timestamp = chain.headTime;
      return (
        node.guard?.heldBack(
          { kind: 'produce', witness, signingKey: testKey(options.keyName ?? witness), timestamp },
          timestamp,
        ) !== undefined
      );
    },
    signed: (alive) => node.network.heartbeats.tell(alive),
  });
}
