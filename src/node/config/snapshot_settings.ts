import { Fault } from '../../base/fault.ts';
import type { SnapshotSettings } from '../snapshot/snapshots.ts';
import type { OptionValues } from './options.ts';
import { besideDataDir } from './standby_settings.ts';

/** Which snapshots a running node writes. Throws Fault `configuration`. */
export function snapshotSettingsOf(values: OptionValues): SnapshotSettings {
  return {
    folder: values['snapshot-dir'] ?? besideDataDir(values, '.snapshots'),
    everyBlocks: positive('snapshot-every-blocks', values),
    kept: positive('snapshots-kept', values),
  };
}

function positive(key: 'snapshot-every-blocks' | 'snapshots-kept', { [key]: value }: OptionValues): number | undefined {
  if (value === 0) throw new Fault('configuration', `${key}: a positive number expected`);
  return value;
}
