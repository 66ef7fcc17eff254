import type { Certificate } from '../../blocks/finality/certificate.ts';
import type { Vote, VoteSubject } from '../../blocks/finality/vote.ts';
import type { VotingRecord } from '../../blocks/finality/voting_record.ts';
import type { BlockId } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** An order of the finality machine, to be carried out in the order given. */
export type FinalityAction =
  /** Write the record to the key's signing journal, sync it, sign the vote and hand it back as one that arrived. */
  | {
      readonly do: 'sign';
      readonly key: PublicKey;
      readonly subject: VoteSubject;
      readonly voter: number;
      readonly record: VotingRecord;
    }
  /** Write the record without signing anything. */
  | { readonly do: 'record'; readonly key: PublicKey; readonly record: VotingRecord }
  /** Send a verified vote to peers that relay votes. */
  | { readonly do: 'relay_vote'; readonly vote: Vote }
  /** Push a certificate to peers, or only announce it. */
  | { readonly do: 'send_certificate'; readonly certificate: Certificate; readonly isPushed: boolean }
  /**
   * Make the branch with this block the main one, also when that is shorter; the machine hears of it only if that
   * succeeds.
   */
  | { readonly do: 'switch'; readonly block: BlockId }
  /** Fetch the block, with ancestors that are missing. */
  | { readonly do: 'fetch'; readonly block: BlockId }
  /** Ask for the boundary certificates from this epoch on. */
  | { readonly do: 'fetch_boundary'; readonly epoch: number }
  /** Blocks up to this one are final: write it before anybody is told. */
  | { readonly do: 'finalise'; readonly number: number; readonly block: BlockId; readonly certificate: Certificate }
  /** A voter has signed both: keep and show them. */
  | { readonly do: 'show_contradiction'; readonly votes: readonly [Vote, Vote] }
  /** Certificates contradict each other, or what is final here: keep and show them, and stop. */
  | { readonly do: 'stop'; readonly certificates: readonly Certificate[] }
  /** Another machine votes with this key: this one stops voting with it. */
  | { readonly do: 'stop_voter'; readonly key: PublicKey; readonly vote: Vote };
