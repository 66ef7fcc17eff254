import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import {
  accountFlags,
  parseNumber,
  onChain,
  makeSender,
  sendAs,
  fetchWitness,
  type AccountFlags,
  type ChainWitness,
} from './chain_access.ts';
import { readPrice, type PriceSource } from './price_source.ts';

interface Flags extends AccountFlags, PriceSource {
  readonly currency: string;
  readonly coin: string;
  readonly least: string;
  readonly most: string;
  readonly changePercent: string;
}

const DECIMALS = 6;
/** A price of which rounding would change more than a thousandth is given for so many coins. */
const MANY_COINS = 1_000_000;

/** `pharos witness feed`: publishes a price, once; cron calls it. */
export function feedCommand(): Command {
  return accountFlags(
    new Command('feed').description('publish the price of the coin, from a source of yours and within limits'),
  )
    .argument('<witness>')
    .option('--file <file>', 'its first number is the price')
    .option('--command <program>', 'the first number that this program prints is the price')
    .option('--from <address>', 'the first number in the answer of this http or https address is the price')
    .option('--currency <symbol>', 'the currency', 'USD')
    .option('--coin <symbol>', 'the symbol of the coin', 'COIN')
    .requiredOption('--least <number>', 'a lower price is a mistake')
    .requiredOption('--most <number>', 'a higher price is a mistake')
    .option('--change-percent <number>', 'so is one that differs by more from the last one', '25')
    .action(async (name: string, flags: Flags) => {
      const limits = makeLimits(flags);
      const price = await readPrice(flags);
      await onChain(flags, async (client) => {
        requireWithinLimits(price, await fetchWitness(client, name), limits);
        const sender = await makeSender(client, name, flags);
        await sendAs(
          client,
          sender,
          ['feed_publish', { publisher: name, exchange_rate: makeRate(price, flags) }],
          flags,
        );
      });
    });
}

interface Limits {
  readonly least: number;
  readonly most: number;
  readonly changePercent: number;
  readonly currency: string;
}

function makeLimits({ least, most, changePercent, currency }: Flags): Limits {
  return {
    ...{ least: parseNumber('--least', least), most: parseNumber('--most', most), currency },
    changePercent: parseNumber('--change-percent', changePercent),
  };
}

function makeRate(price: number, { coin, currency }: Flags): { base: string; quote: string } {
  const isFine = Math.abs(Number(price.toFixed(DECIMALS)) - price) <= price / 1000;
  const coins = isFine ? 1 : MANY_COINS;
  const quote = (price * coins).toFixed(DECIMALS);
  if (Number(quote) === 0)
    throw new Fault('runtime', `a price of ${price} is 0 with ${DECIMALS} digits: nothing was published`);
  return { base: `${coins.toFixed(DECIMALS)} ${coin}`, quote: `${quote} ${currency}` };
}

/** A source that is broken or bought must not move the chain's price. */
function requireWithinLimits(
  price: number,
  witness: ChainWitness | undefined,
  { least, most, changePercent, currency }: Limits,
): void {
  const fail = (why: string): never => {
    throw new Fault('runtime', `a price of ${price} ${why}: nothing was published`);
  };
  if (witness === undefined) fail('by nobody: the chain knows no such witness');
  if (!(price >= least)) fail(`is below --least ${least}`);
  if (!(price <= most)) fail(`is above --most ${most}`);
  const [, last] = [...(witness?.submitted_exchange_rates ?? [])].find(([symbol]) => symbol === currency) ?? [];
  if (last === undefined) return;
  const before = Number.parseFloat(last.rate.quote) / Number.parseFloat(last.rate.base);
  const change = (Math.abs(price - before) / before) * 100;
  if (!(change <= changePercent))
    fail(`differs by ${change.toFixed(0)} % from the last one, ${before}; see --change-percent`);
}
