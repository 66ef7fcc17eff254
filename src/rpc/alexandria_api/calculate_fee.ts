import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import { longTexts, operationCodec } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import { requiredFee } from '../../state/fees.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { asset, symbolCodec, type Asset } from '../../values/asset.ts';
import { isNullPrice } from '../../values/price.ts';
import { currentFeedRefusals, refuseFeed, requireFeed } from '../../queries/feeds.ts';
import { feeSymbols } from '../../values/profile.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleOperation } from '../sample_transaction.ts';
import type { Call } from '../services.ts';

const refuse = refusals({
  fee_symbol: {
    text: 'a fee cannot be paid in {given}; ask for one in {known}',
    // The lineage named the symbol that it fell back to.
    lineage: 'fee cannot be paid in with symbol {symbol}',
  },
});

/** Returns the fee of an operation. */
export const calculateFee = method({
  name: 'alexandria_api.calculate_fee',
  doc: 'What an operation costs in a symbol; creating an account costs what the witnesses agreed on, always in COIN.',
  params: { op: coded(operationCodec), symbol: coded(symbolCodec(feeSymbols)) },
  result: Type.Object({ fee: coded(asset) }),
  example: { params: { op: sampleOperation, symbol: 'COIN' }, result: { fee: '0.010000 COIN' } },
  stability: 'stable',
  refuses: { ...refuse.texts, ...currentFeedRefusals, ...longTexts },
  thread: 'read',
  handler: ({ op, symbol }, call) => ({ fee: computeFee(op, symbol, call) }),
});

function computeFee(operation: Operation, symbol: string, { rows, parameters }: Call): Asset {
  const rule = operation.feeRule();
  if (rule === 'own') return rows.only(witnessSchedule).account_creation_fee;
  const fee = requiredFee(parameters, rule, symbol);
  if (fee.symbol !== symbol)
    refuse.fee_symbol({ given: symbol, known: [...parameters.baseFees.keys()], symbol: fee.symbol });
  if (symbol !== parameters.coinSymbol && isNullPrice(requireFeed(rows, symbol).current_median_history))
    refuseFeed.no_current_feed({ symbol });
  return fee;
}
