import { vector } from '../../codec/collections.ts';
import { bool, text, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { publicKey } from '../../values/public_key.ts';
import { time } from '../../values/time.ts';
import { method } from '../method.ts';
import { requireProduction } from './require_production.ts';

const ownVoter = struct({
  key: publicKey,
  /** Slots, counted from 1970 on; 0 before the first. */
  last_view: u32,
  lock_view: u32,
  lock_block_num: u32,
  is_whole: bool,
  is_stopped: bool,
  is_replaced: bool,
});

const voter = struct({ key: publicKey, witness: text, cast: u32, missed: u32, is_missing: bool });

const journal = struct({ key: publicKey, whole_from: time });

const voting = struct({
  epoch: u32,
  final_block_num: u32,
  voters: u32,
  quorum: u32,
  votes: vector(voter),
  /** 0, and 1970, where no certificate proves the last final block. */
  certificate_block_num: u32,
  certificate_votes: u32,
  certificate_time: time,
  /** 1970 where it is not too long. */
  stalled_since: time,
  stalled_seconds: u32,
  stalls: u32,
  own: vector(ownVoter),
  journals: vector(journal),
  lacking: vector(publicKey),
  evidence: vector(text),
});

/** Returns the state of finality, and the votes of this node. */
export const getVoting = method({
  name: 'witness_node_api.get_voting',
  doc: 'How finality stands as this node sees it: the epoch, its last final block, how many of the voters must agree, and the certificate that made that block final. `votes` has each voter with the slots in which it has voted and those in which its vote was missed, since the node has started; `is_missing` where no vote has come for ten slots. `stalled_since` is 1970 unless no block has become final for twenty slots; `stalls` counts how often that was so. `own` has the keys of this node that vote: the slot of the last vote, the lock, whether the journal holds all votes of the epoch (`is_whole`), whether the key stopped because another machine signs with it, and whether it was replaced on the chain (`is_replaced`): then it votes until the epoch ends. `journals` has all keys of this node whose journal of votes has begun: it holds all votes of epochs that begin after `whole_from`, ten slots later, and the key votes in these. `lacking` has keys with which this machine has voted, that have a vote, and whose secrets it no longer has. `evidence` names contradicting votes and certificates that this node has kept. `voting` is empty where confirmations make blocks final.',
  params: {},
  result: Type.Object({ voting: coded(vector(voting)) }),
  example: { params: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: false,
  handler: async (_, call) => {
    const found = await requireProduction(call).voting();
    if (found === undefined) return { voting: [] };
    const { epoch, final, voters, quorum, votes, certificate, stalledSince, stalledSeconds, stalls } = found;
    return {
      voting: [
        {
          ...{ epoch, final_block_num: final, voters, quorum },
          votes: votes.map(({ key, witness, cast, missed, isMissing }) => ({
            key,
            witness,
            cast,
            missed,
            is_missing: isMissing,
          })),
          certificate_block_num: certificate?.blockNumber ?? 0,
          certificate_votes: certificate?.votes ?? 0,
          certificate_time: certificate?.time ?? 0,
          ...{ stalled_since: stalledSince ?? 0, stalled_seconds: stalledSeconds, stalls },
          own: found.own.map(({ key, lastView, lockView, lockBlock, isWhole, isStopped, isReplaced }) => ({
            key,
            last_view: lastView,
            lock_view: lockView,
            lock_block_num: lockBlock,
            is_whole: isWhole,
            is_stopped: isStopped,
            is_replaced: isReplaced,
          })),
          journals: found.journals.map(({ key, wholeFrom }) => ({ key, whole_from: wholeFrom })),
          ...{ lacking: found.lacking, evidence: found.evidence },
        },
      ],
    };
  },
});
