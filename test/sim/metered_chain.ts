import type { SignedHeartbeat } from '../../src/blocks/alive.ts';
import type { ChainIntake, ChainView } from '../../src/p2p/environment/chain_access.ts';
import type { SimThread } from './sim_thread.ts';

/** A chain whose reading costs the network's thread what it costs a real one, and whose answers come to that thread. */
export function meteredChain(chain: ChainView & ChainIntake, thread: SimThread): ChainView & ChainIntake {
  const answered =
    <Args extends readonly unknown[]>(done: (...args: Args) => void) =>
    (...args: Args): void =>
      thread.run(() => done(...args));
  return {
    ...{ chainId: chain.chainId, profile: chain.profile, slots: chain.slots, finality: chain.finality },
    get head() {
      return chain.head;
    },
    get finality() {
      return chain.finality;
    },
    get oldestBlock() {
      return chain.oldestBlock;
    },
    blockId(number) {
      thread.spend('id');
      return chain.blockId(number);
    },
    readParts(number) {
      const parts = chain.readParts(number);
      if (parts === undefined) return undefined;
      const part = (index: number): Uint8Array | undefined => {
        const packed = parts.part(index);
        thread.spend('block', packed?.length);
        return packed;
      };
      return { count: parts.count, part };
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
    verifyTransactions: (packed, done) => chain.verifyTransactions(packed, answered(done)),
    submitVerified: (block, from, done) => chain.submitVerified(block, from, answered(done)),
    hasValidSignature(chainId: string, alive: SignedHeartbeat) {
      thread.spend('signature');
      return chain.hasValidSignature(chainId, alive);
    },
    submitAlive: (alive, done) => chain.submitAlive(alive, answered(done)),
    isVoteSigned(digest, signature, key) {
      thread.spend('signature');
      return chain.isVoteSigned(digest, signature, key);
    },
    takeVotes: (votes) => chain.takeVotes(votes),
    takeCertificate: (certificate) => chain.takeCertificate(certificate),
    submitTransactions: (sent, done) => chain.submitTransactions(sent, answered(done)),
    hurryTransactions: () => chain.hurryTransactions(),
  };
}
