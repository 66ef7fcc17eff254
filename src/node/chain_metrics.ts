import type { Clock } from '../base/clock.ts';
import type { Metrics } from '../base/metrics.ts';
import type { CommittedState } from '../rpc/services.ts';
import { lastIrreversible } from '../state/last_irreversible.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import { dynamicGlobalProperties, type DynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { ClockOffset } from './clock_offset.ts';
import type { WriterFigures } from './threads/messages.ts';

/** The parts of a node whose metrics are those of its chain. */
export interface MeasuredChain {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly clockOffset: Pick<ClockOffset, 'seconds'> | undefined;
}

/** Asks the writer; undefined when it does not answer in time. */
export type Figures = () => Promise<WriterFigures | undefined>;

/** Adds the metrics of the chain and of the thread that writes it. */
export function addChainMetrics(metrics: Metrics, { rows, clock, clockOffset }: MeasuredChain, figures: Figures): void {
  const head = (): DynamicGlobalProperties => rows.only(dynamicGlobalProperties);
  metrics.level('pharos_head_block_number', 'Number of the head block.', () => head().head_block_number);
  metrics.level('pharos_head_age_seconds', 'Age of the head block by the clock of this machine.', () => clock.nowMs() / 1000 - head().time);
  metrics.level('pharos_irreversible_block_number', 'Number of the last block that no branch can replace.', () => lastIrreversible(rows));
  metrics.level('pharos_oldest_block_number', 'Number of the oldest block that this node keeps; see blocks-kept.', () => oldestBlock(rows));
  metrics.level(
    'pharos_clock_offset_seconds',
    'How far the clock of this machine is ahead of the times of blocks, below 0 behind them; 0 when it seems right.',
    () => clockOffset?.seconds ?? 0,
  );
  metrics.level(
    'pharos_pending_transactions',
    'Accepted transactions that are in no block yet.',
    async () => (await figures())?.pendingTransactions,
  );
  metrics.level(
    'pharos_writer_delay_seconds',
    'How late the event loop of the writer was at most since the last scrape.',
    async () => (await figures())?.delaySeconds,
  );
  metrics.level(
    'pharos_writer_rows',
    'Decoded rows of the state that the writer holds in memory.',
    async () => (await figures())?.rowsInMemory,
  );
}
