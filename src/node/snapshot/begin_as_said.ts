import { systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { parametersOf } from '../chain_settings.ts';
import { chainSettingsOf } from '../config/chain_settings_of.ts';
import type { OptionValues } from '../config/options.ts';
import { dataDirOf } from '../config/standby_settings.ts';
import { beginWithSnapshot } from './begin_with_snapshot.ts';

/** A node without a chain begins with the snapshot that its settings name. Faults as those of `beginWithSnapshot`. */
export async function beginAsSaid(values: OptionValues, log: Log): Promise<void> {
  const { snapshot: source, 'snapshot-sha256': sha256, 'snapshot-signed-by': signedBy = [] } = values;
  if (source === undefined) return;
  const chainId = values['genesis-json'] === undefined ? undefined : parametersOf(chainSettingsOf(values)).chainId;
  const voucher = { isOwn: values['snapshot-own'] === true, sha256, signedBy };
  const beginning = { source, voucher, chainId, profile: values.profile ?? 'default', folder: dataDirOf(values) };
  await beginWithSnapshot(beginning, { clock: systemClock, log });
}
