import type { Log, LogSettings } from '../base/log.ts';
import type { DataFolder } from '../data_folder/data_folder.ts';
import type { NatsSinkSettings } from '../sinks/nats/nats_settings.ts';
import type { FrontSettings } from './front_settings.ts';
import type { P2pSettings } from './p2p_settings.ts';
import type { SnapshotSettings } from './snapshot_settings.ts';
import type { TraceSettings } from './trace_settings.ts';
import type { StoreSettings } from './store_settings.ts';
import type { VerifierPoolSettings } from './verifier_settings.ts';
import type { WriterSettings } from './writer_settings.ts';

/** The settings of a node, by the part that is started with them. */
export interface NodeSettings {
  /** The folder of the chain, locked; the node releases it. */
  readonly folder: DataFolder;
  readonly store: StoreSettings;
  readonly writer: Omit<WriterSettings, 'storeHandle' | 'folder'>;
  readonly verifiers: VerifierPoolSettings;
  readonly front: FrontSettings;
  /** The node speaks to no peers when left out. */
  readonly network?: NetworkSettings | undefined;
  /** The chain's events go nowhere when left out. */
  readonly sink?: SinkSettings | undefined;
  /** No snapshots are written when left out. */
  readonly snapshots?: SnapshotSettings | undefined;
  /** No broadcast is traced when left out. */
  readonly traces?: TraceSettings | undefined;
  /**
   * The chain moves its own time, here or at the node that is followed: no clock tells whether a block is from the
   * future.
   */
  readonly ownsTime?: boolean | undefined;
  readonly log: Log;
}

/** The settings of the network thread. */
export interface NetworkSettings {
  readonly p2p: P2pSettings;
  /** Which of its lines are logged; those that the writer logs, too, unless said. */
  readonly log?: LogSettings | undefined;
}

/** The settings of the event stream. */
export interface SinkSettings {
  readonly nats: NatsSinkSettings;
  /** As that of the network. */
  readonly log?: LogSettings | undefined;
}
