import { refusals } from '../base/refusal.ts';
import type { ChainState } from '../state/chain_state.ts';
import { requireRow } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { witnesses } from '../state/tables/witness.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import { withRates } from '../state/witnesses.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { quotedFiat, priceObject, shownPrice } from '../values/price.ts';
import { operation, paidBody } from './operation.ts';
import { fiatSymbols } from '../values/profile.ts';

const refuse = refusals({
  not_a_price: 'a price quotes {coin} against one of {fiat}, both above zero, got {base} and {quote}',
  publisher_not_in_round: 'witness {witness} is not in the running round, whose witnesses alone publish prices',
});

/** Publishes a witness's price of COIN in a fiat currency. */
export const feedPublish = operation({
  name: 'feed_publish',
  doc: 'Says what COIN is worth in a fiat currency. Only the rates of scheduled witnesses count for the median.',
  fields: paidBody({ fee: asset, publisher: accountName, exchange_rate: priceObject }),
  refuses: refuse,
  feeAccount: (body) => body.publisher,
  authorities: (body) => ({ active: [body.publisher] }),
  impacts: (body) => [body.publisher],

  validate({ exchange_rate }, { coinSymbol }) {
    if (quotedFiat(exchange_rate, coinSymbol) === undefined) {
      refuse.not_a_price({ coin: coinSymbol, fiat: fiatSymbols, ...shownPrice(exchange_rate) });
    }
  },

  apply({ publisher, exchange_rate }, state) {
    refuseInPrivateNet(state);
    const witness = requireRow(state.rows, witnesses, publisher, publisher);
    requireInRound(state, publisher);
    const symbol = quotedFiat(exchange_rate, state.parameters.coinSymbol);
    if (symbol !== undefined) state.rows.put(witnesses, withRates(state, witness, [[symbol, exchange_rate]]));
  },
});

function requireInRound(state: ChainState, publisher: AccountName): void {
  if (!state.parameters.rules.feeds_of_round_only) return;
  if (!state.rows.only(witnessSchedule).current_shuffled_witnesses.includes(publisher))
    refuse.publisher_not_in_round({ witness: publisher });
}
