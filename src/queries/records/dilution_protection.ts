import type { ValueOf } from '../../codec/codec.ts';
import { text, u128, u8 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import type { RowReader } from '../../storage/rows.ts';
import { asset, vestsAsset } from '../../values/asset.ts';
import { protectionPercent } from '../../state/dilution_protection.ts';
import { coins, vests, type ChainParameters } from '../../state/parameters.ts';
import { economicModel, FIRST_PROTECTION_INDEX } from '../../state/tables/economic_model.ts';

/** The protection of vesting shares against dilution, and its cost so far. */
export const dilutionProtectionRecord = struct({
  /** Protection ends when this percentage of all coins is vesting; 0 where there is none. */
  percent: u8,
  /** The current value of one vesting share of the genesis, as a decimal with 18 places. */
  growth: text,
  /** The same exactly: a fixed-point number with 64 fractional bits. */
  index: u128,
  issued: vestsAsset,
  /** An upper bound for all vesting shares plus all that is owed. */
  bound: vestsAsset,
  /** Coins withdrawn from the promotion pool, each counted only the first time. */
  promotion_withdrawn: asset,
});

export type DilutionProtectionRecord = ValueOf<typeof dilutionProtectionRecord>;

export function makeDilutionProtectionRecord(rows: RowReader, parameters: ChainParameters): DilutionProtectionRecord {
  const {
    protection_index: index,
    protection_issued,
    protection_bound,
    promotion_withdrawn,
  } = rows.only(economicModel);
  return {
    percent: protectionPercent(parameters),
    growth: decimalText(index),
    index,
    issued: vests(parameters, protection_issued),
    bound: vests(parameters, protection_bound),
    promotion_withdrawn: coins(parameters, promotion_withdrawn),
  };
}

const PLACES = 18;
const UNIT = 10n ** BigInt(PLACES);

function decimalText(index: bigint): string {
  const digits = String((index * UNIT) / FIRST_PROTECTION_INDEX).padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}
