import { Fault } from '../base/fault.ts';
import type { SettingsOf } from './options.ts';
import { besideDataDir } from './store_settings.ts';

/** Which snapshots a running node writes. Throws Fault `configuration`. */
export function readSnapshotSettings(values: SettingsOf<'snapshots' | 'store'>): SnapshotSettings {
  return {
    folder: values['snapshot-dir'] ?? besideDataDir(values, '.snapshots'),
    everyBlocks: positive('snapshot-every-blocks', values),
    kept: positive('snapshots-kept', values),
  };
}

function positive(
  key: 'snapshot-every-blocks' | 'snapshots-kept',
  { [key]: value }: SettingsOf<'snapshots'>,
): number | undefined {
  if (value === 0) throw new Fault('configuration', `${key}: a positive number expected`);
  return value;
}

/** Which snapshots a node writes, and where. */
export interface SnapshotSettings {
  readonly folder: string;
  /** One is written each time so many blocks more are irreversible. */
  readonly everyBlocks: number | undefined;
  /** So many of the newest stay; all when undefined, and of those made on command the last one. */
  readonly kept: number | undefined;
}
