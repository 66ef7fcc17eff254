import type { HardforkStanding } from '../../queries/hardfork_standing.ts';
import { witnessesOfUnknownVersion } from '../../queries/hardfork_warnings.ts';
import type { CommittedState } from '../../queries/committed_state.ts';
import type { Clock } from '../../base/clock.ts';
import type { Metrics } from '../../base/metrics.ts';
import { lastConfirmed, lastIrreversible } from '../../state/last_irreversible.ts';
import { oldestBlock } from '../../state/stored_blocks.ts';
import { dynamicGlobalProperties, type DynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import type { ClockOffset } from './clock_offset.ts';
import type { WriterFigures } from '../threads/messages.ts';

/** The parts of a node whose metrics are those of its chain. */
export interface MeasuredChain {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly clockOffset: Pick<ClockOffset, 'seconds'> | undefined;
  readonly blockIntervalSeconds: number;
  readonly hardforks: () => HardforkStanding;
}

/** Asks the writer; undefined when it does not answer in time. */
export type Figures = () => Promise<WriterFigures | undefined>;

/** Adds the metrics of the chain and of the thread that writes it. */
export function addChainMetrics(metrics: Metrics, chain: MeasuredChain, figures: Figures): void {
  const { rows, clock, clockOffset } = chain;
  const head = (): DynamicGlobalProperties => rows.only(dynamicGlobalProperties);
  const headAge = (): number => clock.nowMs() / 1000 - head().time;
  metrics.level('pharos_head_block_number', 'Number of the head block.', () => head().head_block_number, {
    row: 'Is it in step?',
  });
  metrics.level('pharos_head_age_seconds', 'Age of the head block by the clock of this machine.', headAge, {
    row: 'Is it in step?',
    figure: {
      ...{ title: 'Head age', expr: 'pharos_head_age_seconds{instance=~"$instance"}', unit: 's' },
      limits: { warning: 15, alarm: 60 },
    },
    alerts: [
      {
        alert: 'PharosHeadOld',
        expr: 'pharos_head_age_seconds > 60',
        for: '1m',
        severity: 'page',
        summary: 'no block for {{ $value | humanizeDuration }}',
        page: 'behind',
      },
    ],
  });
  metrics.level('pharos_irreversible_block_number', 'Number of the last block that no branch can replace.', () =>
    lastIrreversible(rows),
  );
  metrics.level(
    'pharos_final_age_seconds',
    'Age of the head block, and a slot for each block above the last irreversible one.',
    () => headAge() + (head().head_block_number - lastIrreversible(rows)) * chain.blockIntervalSeconds,
    {
      row: 'Is it in step?',
      figure: {
        ...{ title: 'Final age', expr: 'pharos_final_age_seconds{instance=~"$instance"}', unit: 's' },
        limits: { warning: 90, alarm: 300 },
      },
    },
  );
  metrics.level(
    'pharos_confirmed_block_number',
    'Number of the last block that enough witnesses have built on: for people, where votes make blocks irreversible.',
    () => lastConfirmed(rows),
  );
  metrics.level(
    'pharos_oldest_block_number',
    'Number of the oldest block that this node keeps; see blocks-kept.',
    () => oldestBlock(rows),
    { row: 'Is it full?' },
  );
  metrics.level(
    'pharos_clock_offset_seconds',
    'How far the clock of this machine is ahead of the times of blocks, below 0 behind them; 0 when it seems right.',
    () => clockOffset?.seconds ?? 0,
    {
      row: 'Is it in step?',
      alerts: [
        {
          alert: 'PharosClockWrong',
          expr: 'abs(pharos_clock_offset_seconds) > 1 or abs(pharos_peer_clock_difference_seconds) > 4',
          for: '2m',
          severity: 'page',
          summary: 'the clock of the machine is {{ $value }} seconds off',
          page: 'missed_slots',
        },
      ],
    },
  );
  addHardforkMetrics(metrics, chain);
  addWriterMetrics(metrics, figures);
}

/** Tells days before that this program is too old for what the witnesses vote for. */
function addHardforkMetrics(metrics: Metrics, { hardforks, rows }: MeasuredChain): void {
  metrics.level(
    'pharos_hardforks_applied',
    'Hardforks that the chain has applied. The dashboard marks where the number grows.',
    () => rows.only(hardforkProperty).last_hardfork,
  );
  metrics.level(
    'pharos_newer_version_witnesses',
    'Scheduled witnesses that run or vote for a protocol version that this program does not know.',
    () => witnessesOfUnknownVersion(hardforks()).length,
    {
      row: 'Is it up?',
      alerts: [
        {
          alert: 'PharosUpgradeNeeded',
          expr: 'pharos_newer_version_witnesses > 0',
          for: '10m',
          severity: 'warning',
          summary: '{{ $value }} scheduled witnesses run or vote for a version that this node does not know',
          page: 'upgrade_chain',
        },
      ],
    },
  );
  metrics.level(
    'pharos_unknown_hardfork_timestamp_seconds',
    'Unix time at which a hardfork becomes active that this program does not know, and this node stops; 0 where none is agreed on.',
    () => {
      const { agreed, supported } = hardforks();
      return agreed !== undefined && agreed.version > supported ? agreed.time : 0;
    },
    {
      alerts: [
        {
          alert: 'PharosUpgradeDue',
          expr: 'pharos_unknown_hardfork_timestamp_seconds > 0',
          for: '1m',
          severity: 'page',
          summary:
            'this node stops at {{ $value | humanizeTimestamp }}: install a release that knows the next hardfork',
          page: 'upgrade_chain',
        },
      ],
    },
  );
}

function addWriterMetrics(metrics: Metrics, figures: Figures): void {
  metrics.level(
    'pharos_pending_transactions',
    'Accepted transactions that are in no block yet.',
    async () => (await figures())?.pendingTransactions,
  );
  metrics.level(
    'pharos_writer_delay_seconds',
    'How late the event loop of the writer was at most since the last scrape; up to 0.05 s of a stop are not seen.',
    async () => (await figures())?.delaySeconds,
    {
      row: 'Is it slow?',
      alerts: [
        {
          alert: 'PharosWriterStalled',
          expr: 'pharos_writer_delay_seconds > 1',
          for: '2m',
          severity: 'warning',
          summary: 'the writer was held up for {{ $value | humanizeDuration }}',
          page: 'slow',
        },
      ],
    },
  );
  metrics.level(
    'pharos_writer_rows',
    'Decoded rows of the state that the writer holds in memory.',
    async () => (await figures())?.rowsInMemory,
  );
  metrics.level(
    'pharos_writer_row_bytes',
    'Memory that the writer’s cached rows take, as estimated: at most row-cache-mib, but for those of the next block.',
    async () => (await figures())?.rowBytesInMemory,
  );
}
