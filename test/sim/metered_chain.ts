import type { SignedAlive } from '../../src/blocks/alive.ts';
import type { ChainIntake, ChainView } from '../../src/p2p/chain_access.ts';
import type { SimThread } from './sim_thread.ts';

/** A chain whose reading costs the network's thread what it costs a real one, and whose answers come to that thread. */
export function meteredChain(chain: ChainView & ChainIntake, thread: SimThread): ChainView & ChainIntake {
  const answered =
    <Args extends readonly unknown[]>(done: (...args: Args) => void) =>
    (...args: Args): void =>
      thread.run(() => done(...args));
  return {
    ...{ chainId: chain.chainId, profile: chain.profile, slots: chain.slots },
    get head() {
      return chain.head;
    },
    get oldestBlock() {
      return chain.oldestBlock;
    },
    idAt(number) {
      thread.spend('id');
      return chain.idAt(number);
    },
    packedAt(number) {
      const packed = chain.packedAt(number);
      thread.spend('block', packed?.length);
      return packed;
    },
    knows(id) {
      thread.spend('id');
      return chain.knows(id);
    },
    submitBlocks: (blocks, place, done) => chain.submitBlocks(blocks, place, answered(done)),
    judgeHeader(header, done) {
      thread.spend('signature');
      chain.judgeHeader(header, answered(done));
    },
    proveTransactions: (packed, done) => chain.proveTransactions(packed, answered(done)),
    submitProved: (block, from, done) => chain.submitProved(block, from, answered(done)),
    isAliveSigned(chainId: string, alive: SignedAlive) {
      thread.spend('signature');
      return chain.isAliveSigned(chainId, alive);
    },
    submitAlive: (alive, done) => chain.submitAlive(alive, answered(done)),
    submitTransactions: (sent, done) => chain.submitTransactions(sent, answered(done)),
    hurryTransactions: () => chain.hurryTransactions(),
  };
}
