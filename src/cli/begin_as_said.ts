import { systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { parametersOf } from '../settings/chain_settings.ts';
import { chainSettingsOf, namesGenesis, profileOf } from '../settings/chain_settings_of.ts';
import type { SettingsOf } from '../settings/options.ts';
import { dataDirOf } from '../settings/store_settings.ts';
import { beginWithSnapshot, type Beginning } from '../snapshot/begin_with_snapshot.ts';

/** A snapshot as the operator names it: file or address, and who vouches for it. */
export type NamedSnapshot = Pick<Beginning, 'source' | 'voucher'>;

/** A node without a chain begins with that snapshot. Faults as those of `beginWithSnapshot`. */
export async function beginAsSaid(
  snapshot: NamedSnapshot,
  values: SettingsOf<'chain' | 'store'>,
  log: Log,
): Promise<void> {
  const chainId = namesGenesis(values) ? parametersOf(chainSettingsOf(values)).chainId : undefined;
  const beginning = { ...snapshot, chainId, profile: profileOf(values).name, folder: dataDirOf(values) };
  await beginWithSnapshot(beginning, { clock: systemClock, log });
}
