import { systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { readParameters } from '../settings/chain_settings.ts';
import { readChainSettings, namesGenesis, readProfile } from '../settings/read_chain_settings.ts';
import type { SettingsOf } from '../settings/options.ts';
import { readDataDir } from '../settings/store_settings.ts';
import { beginWithSnapshot, type Beginning } from '../snapshot/begin_with_snapshot.ts';

/** A snapshot as the operator names it: file or address, and who vouches for it. */
export type NamedSnapshot = Pick<Beginning, 'source' | 'voucher'>;

/** A node without a chain begins with that snapshot. Faults as those of `beginWithSnapshot`. */
export async function beginAsSaid(
  snapshot: NamedSnapshot,
  values: SettingsOf<'chain' | 'store'>,
  log: Log,
): Promise<void> {
  const chainId = namesGenesis(values) ? readParameters(readChainSettings(values)).chainId : undefined;
  const beginning = { ...snapshot, chainId, profile: readProfile(values).name, folder: readDataDir(values) };
  await beginWithSnapshot(beginning, { clock: systemClock, log });
}
