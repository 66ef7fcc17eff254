import type { Clock } from '../../src/base/clock.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import type { Vote } from '../../src/blocks/finality/vote.ts';
import { Voting } from '../../src/voting/voting.ts';
import { VotingKeys } from '../../src/voting/voting_keys.ts';
import { VoteWatch } from '../../src/voting/vote_watch.ts';
import { Evidence } from '../../src/voting/evidence.ts';
import type { FinalityUpdate } from '../../src/p2p/finality/finality_relay.ts';
import type { Network } from '../../src/p2p/network.ts';
import { slotNumber } from '../../src/values/time.ts';
import { LocalVotingSigner } from '../../src/witness/voting_signer.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import { isVoteSignedOnce } from '../builders/verified_votes.ts';
import type { SimNode } from './sim_node.ts';

/**
 * A machine's part in finality in one run of its process: it counts votes, and votes with the keys of its witnesses.
 */
export class SimVoter {
  readonly #node: SimNode;
  readonly #voting: Voting;
  /** The chain has another head, or knows another block, of which the voting has not heard. */
  #hasNewBlocks = false;

  constructor(node: SimNode, clock: Clock, network: Network) {
    this.#node = node;
    const { chain, world, options, log } = node;
    const { parameters } = world;
    const { chainId, blockIntervalSeconds: intervalSeconds, profile } = parameters;
    const secrets = new Map(this.#keyNames.map((name) => [testKey(name), testSecret(name)]));
    const signer = options.votes === undefined ? undefined : new LocalVotingSigner(chainId, options.votes, secrets);
    this.#voting = new Voting({
      ...{ chain, parameters, clock, log, verify: isVoteSignedOnce, signer },
      keys: new VotingKeys({
        ...{ chainId, intervalSeconds, chain, signer },
        ...{ keys: new Set(secrets.keys()), journal: options.journal, hasPeers: true },
        signingKeys: () => new Set(options.witnesses.flatMap((witness) => chain.signingKeyOf(witness) ?? [])),
      }),
      watch: new VoteWatch({
        ...{ intervalSeconds, keyPrefix: profile.keyPrefix, signers: () => chain.headSigners },
        slot: slotNumber(clock.nowMs() / 1000, intervalSeconds),
      }),
      evidence: new Evidence({ file: undefined, keyPrefix: profile.keyPrefix, log }),
      tell: (news) => node.process.thread.run(() => this.#told(news).forEach((each) => network.finalityChanged(each))),
      finalised: (afterMs) => world.checks.finalised(node, afterMs),
      tellStanding: () => undefined,
      guard: (run) => run(),
      foreign: ({ key }) => node.failures.push(`somebody else votes with ${key}`),
      stop: (sentence) => node.failures.push(sentence),
    });
  }

  start(): void {
    this.#voting.start();
  }

  stop(): void {
    this.#voting.stop();
  }

  /** A slot may have begun. */
  look(): void {
    this.#voting.look();
  }

  /** A block is about to be pushed. */
  judging({ id, header: { previous, timestamp } }: VerifiedBlock): void {
    this.#hasNewBlocks = true;
    this.#voting.judging({
      id,
      previous,
      slot: slotNumber(timestamp, this.#node.world.parameters.blockIntervalSeconds),
    });
  }

  moved(): void {
    this.#hasNewBlocks = true;
  }

  /** The chain is done with what it was given. */
  settle(): void {
    if (!this.#hasNewBlocks) return;
    this.#hasNewBlocks = false;
    this.#voting.blockTaken();
  }

  hear(votes: readonly Vote[], certificates: readonly Certificate[]): void {
    this.#voting.hear(votes, certificates);
    this.#node.options.lies?.hear(this.#node.id, votes);
  }

  takePeers({ standing: { clockAheadMs, isSynced } }: Network): void {
    this.#voting.takePeers({ clockAheadMs, isBehind: !isSynced });
  }

  #told(news: readonly FinalityUpdate[]): readonly FinalityUpdate[] {
    const { lies } = this.#node.options;
    return lies === undefined ? news : news.filter((each) => lies.tells(each));
  }

  get #keyNames(): readonly string[] {
    const { witnesses, keyName, furtherKeyNames = [] } = this.#node.options;
    return [...witnesses.map((name) => keyName ?? name), ...furtherKeyNames];
  }
}
