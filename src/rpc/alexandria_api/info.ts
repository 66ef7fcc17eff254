import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { optional } from '../../codec/collections.ts';
import { text, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import {
  dynamicGlobalPropertyRecord,
  makeDynamicGlobalPropertyRecord,
} from '../../queries/records/dynamic_global_property.ts';
import { confirmedBesideFinality } from '../../state/last_irreversible.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { feedHistories } from '../../state/tables/feed_history.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { coins, type ChainParameters } from '../../state/parameters.ts';
import type { RowReader } from '../../storage/rows.ts';
import { asset } from '../../values/asset.ts';
import { price, type Price } from '../../values/price.ts';
import { fiatSymbols } from '../../values/profile.ts';
import { version } from '../../values/version.ts';
import { ageText } from './age_text.ts';
import { averageBlockSize } from '../../queries/block_sizes.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

const infoRecord = struct({
  ...dynamicGlobalPropertyRecord.fields,
  /** The last block that enough witnesses have built on; only where votes make blocks irreversible. */
  confirmed_block_num: optional(u32),
  average_block_size: u32,
  witness_majority_version: version,
  hardfork_version: version,
  head_block_age: text,
  /** Percentage of the last 128 slots that have a block, with six decimals. */
  participation: text,
  median_sbd1_price: price,
  median_sbd2_price: price,
  median_sbd3_price: price,
  median_sbd4_price: price,
  median_sbd5_price: price,
  account_creation_fee: asset,
});

/** The head of the chain, what the witnesses agreed on, and the health of the chain. */
export const info = method({
  name: 'alexandria_api.info',
  doc: 'The head of the chain, what the witnesses agreed on, and how well the chain is doing. Where votes make blocks irreversible, `confirmed_block_num` is the last block that enough witnesses have built on: a number for people, on which nothing depends.',
  params: {},
  result: Type.Object({ info: coded(infoRecord) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',

  handler(_, { rows, parameters, clock }) {
    const head = rows.only(dynamicGlobalProperties);
    const schedule = rows.only(witnessSchedule);
    const [usd, eur, chf, cny, gbp] = fiatSymbols.map((symbol) => medianPrice(rows, parameters, symbol));
    const unknown = neverSet(parameters);
    return {
      info: {
        ...makeDynamicGlobalPropertyRecord(rows, parameters),
        confirmed_block_num: confirmedBesideFinality(rows, parameters),
        average_block_size: averageBlockSize(rows),
        witness_majority_version: schedule.majority_version,
        hardfork_version: rows.only(hardforkProperty).current_hardfork_version,
        head_block_age: ageText(Math.trunc(clock.nowMs() / 1000), head.time, ' old'),
        participation: participationText(head.recent_slots_filled),
        median_sbd1_price: usd ?? unknown,
        median_sbd2_price: eur ?? unknown,
        median_sbd3_price: chf ?? unknown,
        median_sbd4_price: cny ?? unknown,
        median_sbd5_price: gbp ?? unknown,
        account_creation_fee: schedule.account_creation_fee,
      },
    };
  },
});

function medianPrice(rows: RowReader, parameters: ChainParameters, symbol: string): Price {
  return rows.get(feedHistories, symbol)?.current_median_history ?? neverSet(parameters);
}

function neverSet(parameters: ChainParameters): Price {
  return { base: coins(parameters, 0n), quote: coins(parameters, 0n) };
}

/** One bit per slot: 128 set bits are 100 %, so each counts 0.781250 %. */
const MILLIONTHS_PER_SLOT = 781_250;

function participationText(slots: bigint): string {
  const filled = slots.toString(2).replaceAll('0', '').length;
  const millionths = String(filled * MILLIONTHS_PER_SLOT).padStart(7, '0');
  return `${millionths.slice(0, -6)}.${millionths.slice(-6)}`;
}
