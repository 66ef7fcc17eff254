import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { NO_VOTERS, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { epochVoters } from '../../../src/blocks/finality/voters.ts';
import type { VotingRecord } from '../../../src/blocks/finality/voting_record.ts';
import { mayCommit, mayPrepare, type Epoch } from '../../../src/blocks/finality/voting_rule.ts';
import { getBlockNumber, ZERO_HASH160, type BlockId } from '../../../src/values/hash.ts';
import type { Branch, Decisions, Quorums, Voter } from './voting_model.ts';

/* The node's own rule, asked about the voters of the model: a branch is one block on the genesis. */

const INTERVAL_MS = 3000;
/** Views of the node for each one of the model: behind a loss, a node lets ten go by. */
const VIEWS_OF_ONE = 11;
const voters = epochVoters(
  'ab'.repeat(32),
  0,
  [1, 2, 3, 4].map((number) => `02${number.toString(16).padStart(64, '0')}`),
);
const epoch: Epoch = { voters, start: ZERO_HASH160, startSlot: 0 };
const branches: readonly Branch[] = [1, 2];

/** Decides whether the node would prepare or commit, as a voter that has heard of every certificate and is in time. */
export function nodeDecisions(views: number): Decisions {
  return {
    mayPrepare(voter, view, branch, quorums) {
      const certificates = listCertificates(views, quorums);
      return mayPrepare(
        { record: votingRecord(voter), epoch, certificates, descends },
        { view: view * VIEWS_OF_ONE, block: branchBlock(branch) },
      );
    },
    mayCommit(voter, view, branch, quorums) {
      const isHeld = quorums.certified(view, branch);
      const nowMs = view * VIEWS_OF_ONE * INTERVAL_MS;
      return isHeld && mayCommit(votingRecord(voter), epoch, makeCertificate(view, branch), { nowMs }, INTERVAL_MS);
    },
  };
}

function votingRecord({ lastPrepare: [view, prepared], lock: [lockView, locked], lostIn }: Voter): VotingRecord {
  return {
    begun: lostIn * VIEWS_OF_ONE,
    signed_first_block: lostIn === 0,
    last_prepare:
      view === 0 ? undefined : { epoch: 0, view: view * VIEWS_OF_ONE, block: branchBlock(getBranch(prepared)) },
    lock: lockView === 0 ? undefined : makeCertificate(lockView, getBranch(locked)),
  };
}

function listCertificates(views: number, { certified }: Quorums): Certificate[] {
  const all = Array.from({ length: views }, (_, index) => index + 1).flatMap((view) =>
    branches.map((branch) => ({ view, branch })),
  );
  return all
    .filter(({ view, branch }) => certified(view, branch))
    .map(({ view, branch }) => makeCertificate(view, branch));
}

function makeCertificate(view: number, branch: Branch): Certificate {
  const [header, root] = [`${branch}`.repeat(64), `${branch + 2}`.repeat(64)];
  const subject: VoteSubject = {
    epoch: 0,
    voters: voters.digest,
    view: view * VIEWS_OF_ONE,
    kind: 'prepare',
    block: branchBlock(branch),
    header,
    root,
    next_voters: NO_VOTERS,
  };
  return { subject, signatures: [] };
}

function getBranch(branch: number): Branch {
  return branch === 1 ? 1 : 2;
}

function branchBlock(branch: Branch): BlockId {
  return `00000001${`${branch}`.repeat(32)}`;
}

function descends(block: BlockId, from: BlockId): boolean {
  return block === from || getBlockNumber(from) === 0;
}
