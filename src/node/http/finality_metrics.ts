import type { Metrics } from '../../base/metrics.ts';
import type { VoterDescription, VotingDescription } from '../../rpc/services.ts';
import type { StallTimes } from '../threads/stall_times.ts';
import type { Figures } from './chain_metrics.ts';

/** Adds the metrics of finality: how long it takes, whether it stands still, and who votes. */
export function addFinalityMetrics(metrics: Metrics, figures: Figures, stalls: StallTimes): void {
  const voting = async (): Promise<VotingDescription | undefined> => (await figures())?.voting;
  metrics.histogram(
    'pharos_finality_seconds',
    'From the beginning of a block’s slot until the block was final here.',
    () => stalls.finality,
    { row: 'Is it up?' },
  );
  metrics.level(
    'pharos_finality_epoch',
    'The epoch whose voters make blocks final.',
    async () => (await voting())?.epoch,
    { row: 'Is it final?' },
  );
  metrics.level('pharos_finality_voters', 'Voters of the epoch.', async () => (await voting())?.voters);
  metrics.level('pharos_finality_quorum', 'Votes that make a block final.', async () => (await voting())?.quorum);
  addStalls(metrics, voting);
  addVotes(metrics, async () => {
    const { votes = [], own = [] } = (await voting()) ?? {};
    const ownKeys = new Set(own.map(({ key }) => key));
    return votes.map((voter) => ({ voter, isOwn: ownKeys.has(voter.key) }));
  });
}

function addStalls(metrics: Metrics, voting: () => Promise<VotingDescription | undefined>): void {
  metrics.levels(
    {
      name: 'pharos_finality_missing_voters',
      doc: 'Voters from whom no vote has come for ten slots.',
      labels: [],
      row: 'Is it up?',
    },
    async () => {
      const { votes } = (await voting()) ?? {};
      return votes === undefined ? [] : [{ labels: {}, value: votes.filter(({ isMissing }) => isMissing).length }];
    },
  );
  metrics.levels(
    {
      name: 'pharos_finality_stalled_seconds',
      doc: 'For how long no block has become final; 0 unless that is more than twenty slots.',
      labels: [],
      row: 'Is it up?',
      alerts: [
        {
          alert: 'PharosFinalityStandsStill',
          expr: 'pharos_finality_stalled_seconds > 0',
          for: '1m',
          severity: 'page',
          summary: 'no block has become final for {{ $value }} seconds',
          page: 'finality',
        },
      ],
    },
    async () => {
      const { stalledSeconds } = (await voting()) ?? {};
      return stalledSeconds === undefined ? [] : [{ labels: {}, value: stalledSeconds }];
    },
  );
  metrics.count(
    {
      name: 'pharos_finality_stalls_total',
      doc: 'How often no block became final for twenty slots.',
      labels: [],
      row: 'Is it final?',
    },
    async () => {
      const { stalls } = (await voting()) ?? {};
      return stalls === undefined ? [] : [{ labels: {}, value: stalls }];
    },
  );
}

interface Counted {
  readonly voter: VoterDescription;
  readonly isOwn: boolean;
}

/** One line for each voter of the epoch, so no more than a schedule has. */
function addVotes(metrics: Metrics, voters: () => Promise<readonly Counted[]>): void {
  const labels = ['witness', 'own'] as const;
  const voterLabels = ({ voter, isOwn }: Counted): Readonly<Record<(typeof labels)[number], string>> => ({
    witness: voter.witness === '' ? voter.key : voter.witness,
    own: isOwn ? 'yes' : 'no',
  });
  metrics.count(
    {
      name: 'pharos_votes_cast_total',
      doc: 'Slots in which a voter of the epoch has voted, by witness, or by key where the witness is not known.',
      labels,
    },
    async () => (await voters()).map((each) => ({ labels: voterLabels(each), value: each.voter.cast })),
  );
  metrics.count(
    {
      name: 'pharos_votes_missed_total',
      doc: 'Slots in which a voter of the epoch had to vote, and no vote of it came within two slots.',
      labels,
      row: 'Is it final?',
      alerts: [
        {
          alert: 'PharosVotesMissed',
          expr: 'increase(pharos_votes_missed_total{own="yes"}[15m]) > 10',
          for: '0m',
          severity: 'page',
          summary: '{{ $labels.witness }} has missed votes',
          page: 'finality',
        },
      ],
    },
    async () => (await voters()).map((each) => ({ labels: voterLabels(each), value: each.voter.missed })),
  );
}
