import { refusals } from '../../base/refusal.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { feedPublish } from '../../operations/feed_publish.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { asset, SATOSHIS, shownAsset } from '../../values/asset.ts';
import { fiatSymbols } from '../../values/profile.ts';
import { method } from '../method.ts';
import type { Call } from '../services.ts';
import { buildTransaction } from '../transactions.ts';
import { debugHead, moved } from './debug_head.ts';
import { producingRefusals } from './debug_refusals.ts';
import { impersonatorRefusals, sendImpersonated, unlessReverted } from './impersonated.ts';

const refuse = refusals({
  no_fiat_price: 'a price of a coin above zero in one of {fiat} expected, got {price}',
  too_few_feeds:
    'a price is the median of {needed} feeds at least, and the round has {present} witnesses; `pharos dev --fresh --witnesses {needed}` makes a chain with enough',
});

/** As many as one order produces. */
const MOST_BLOCKS = 1000;

/** Sets what the coin is worth. */
export const setPrice = method({
  name: 'debug_api.set_price',
  doc: 'Has every witness of the round publish this price of a coin, such as `0.12 USD`, and produces blocks up to the next full hour of blocks, when the median of the feeds becomes the price. The time of the chain moves along.',
  params: { price: coded(asset) },
  result: debugHead,
  example: { params: { price: '0.120000 USD' } },
  stability: 'experimental',
  refuses: { ...producingRefusals, ...impersonatorRefusals, ...refuse.texts },
  thread: 'writer',
  changes: true,

  async handler({ price }, call) {
    const { symbol, amount } = price;
    if (amount <= 0n || !fiatSymbols.some((fiat) => fiat === symbol))
      refuse.no_fiat_price({ fiat: fiatSymbols, price: shownAsset(price) });
    const transaction = call.rows.consistentRead(() => {
      const feeds = roundWitnesses(call).map((publisher) => feedPublish.of(makeFeed(call, publisher, price)));
      return unlessReverted(call, buildTransaction(call, feeds));
    });
    await sendImpersonated(call, transaction, { method: 'debug_api.set_price', waitFor: 'accepted' });
    const { blocksPerHour } = call.parameters;
    let missing = blocksPerHour - (headNumber(call) % blocksPerHour);
    for (; missing > MOST_BLOCKS; missing -= MOST_BLOCKS)
      await moved(call, { kind: 'produce_blocks', count: MOST_BLOCKS });
    return await moved(call, { kind: 'produce_blocks', count: missing });
  },
});

function headNumber({ rows }: Call): number {
  return rows.only(dynamicGlobalProperties).head_block_number;
}

/** The witnesses whose feeds count. */
function roundWitnesses({ rows, parameters: { minFeeds } }: Call): readonly string[] {
  const { current_shuffled_witnesses: names } = rows.only(witnessSchedule);
  const round = [...new Set(names)].filter((name) => name !== '');
  if (round.length < minFeeds) refuse.too_few_feeds({ needed: minFeeds, present: round.length });
  return round;
}

function makeFeed(
  { parameters: { coinSymbol } }: Call,
  publisher: string,
  quote: { readonly amount: bigint; readonly symbol: string },
): Parameters<typeof feedPublish.of>[0] {
  const fee = { amount: 0n, symbol: coinSymbol };
  return { fee, publisher, exchange_rate: { base: { amount: SATOSHIS, symbol: coinSymbol }, quote } };
}
