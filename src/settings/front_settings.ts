import type { Methods } from '../rpc/method.ts';
import type { SettingsOf } from './options.ts';
import type { ListeningSettings, ReadyLag, ServingSettings } from './server_settings.ts';

/** The settings of the part of a node that serves clients. */
export interface FrontSettings {
  /** Loads the served methods: they are most of the program, and the writer shouldn't wait for them. */
  readonly methods: () => Promise<Methods>;
  readonly listening: ListeningSettings;
  readonly serving: ServingSettings;
  readonly readyLag?: ReadyLag | undefined;
  /** The settings of the front, by key; the defaults when left out. */
  readonly said?: SettingsOf<'front'> | undefined;
  /** The secret of the chain's impersonator, which signs for every account of a development chain. */
  readonly impersonatorSecret?: Uint8Array | undefined;
}
