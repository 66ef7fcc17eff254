import type { Vote } from '../../src/blocks/finality/vote.ts';
import type { FinalityUpdate } from '../../src/p2p/finality/finality_relay.ts';

/** A machine's treatment of votes that follows no rule. It has no journal, and casts no votes by itself. */
export interface VotingLies {
  /** The machine of a liar with this node id has verified votes of peers. */
  hear(nodeId: string, votes: readonly Vote[]): void;
  /** True when its machine may tell others the news of an honest one. */
  tells(news: FinalityUpdate): boolean;
}
