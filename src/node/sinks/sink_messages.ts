import type { LogSettings } from '../../base/log.ts';
import type { Port } from '../../base/port.ts';
import type { NatsSinkSettings } from '../../sinks/nats/nats_settings.ts';
import type { SinkFigures } from '../../sinks/sink_figures.ts';
import type { ChainMessage } from '../../feed/chain_feed.ts';
import type { ThreadFailure } from '../../system/thread_failure.ts';
import type { ChainSettings } from '../../settings/chain_settings.ts';
import type { ThreadKind } from '../../system/thread_settings.ts';

/** The settings that the thread of a sink is started with. */
export interface SinkThreadSettings {
  readonly nats: NatsSinkSettings;
  /** The data folder. */
  readonly folder: string;
  readonly chain: ChainSettings;
  /** Attaches to the store that the main thread has opened and will close. */
  readonly storeHandle: bigint;
  /** The chain's user may take back any block. */
  readonly mayRevert: boolean;
  readonly log: LogSettings;
}

/** From the front to a sink. */
export type ToSink = { readonly kind: 'chain'; readonly port: Port<ChainMessage, 'taken'> } | { readonly kind: 'stop' };

/** From a sink to the front. */
export type FromSink =
  | { readonly kind: 'state'; readonly figures: SinkFigures }
  | { readonly kind: 'stopped' }
  | ThreadFailure;

export const sinkThread: ThreadKind<SinkThreadSettings> = { name: 'sink' };
