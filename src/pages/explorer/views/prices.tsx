import type { Client } from '../../../client/index.ts';
import { toSeconds } from '../../../client/chain_time.ts';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import { Chart } from '../chart.tsx';
import { readConstant } from '../constants.ts';
import { chain, chainTime, headNumber, schedule } from '../live.tsx';
import { lastHeardText } from '../node_link.tsx';
import { Amount, Facts, Section } from '../parts.tsx';
import { unlessRefused } from '../unless_refused.ts';
import { countText } from '../../../values/words.ts';

const SYMBOLS = ['USD', 'EUR', 'CHF', 'CNY', 'GBP'] as const;
const HOUR = 3600;

interface Price {
  readonly base: string;
  readonly quote: string;
}

interface Feed {
  readonly symbol: string;
  readonly current: number | undefined;
  readonly history: readonly number[];
}

/** Fees, and the prices of the coin that witnesses agree on. */
export function Prices() {
  useTitle('Prices');
  const asked = useAsked(
    'feeds',
    async (client) => await Promise.all(SYMBOLS.map(async (symbol) => await fetchFeed(client, symbol))),
    headNumber.value,
  );
  const props = schedule.value?.median_props;
  const [base, covered] = [findString('BASE_FEE'), readConstant(chain.value?.config, 'SIZE_COVERED_IN_BASE_FEE')];
  return (
    <>
      <h1 tabIndex={-1}>Fees and prices</h1>
      <Section title="Fees">
        <Facts
          of={[
            [
              'Base fee',
              base === undefined ? (
                'not known'
              ) : (
                <>
                  <Amount text={base} /> for a transfer, and for each {countText(covered ?? 0)} bytes of a document
                </>
              ),
            ],
            [
              'New account',
              props === undefined ? (
                'not known'
              ) : (
                <>
                  <Amount text={props.account_creation_fee} />, the median of what witnesses propose
                </>
              ),
            ],
            ['Largest block', props === undefined ? 'not known' : `${countText(props.maximum_block_size)} bytes`],
          ]}
        />
      </Section>
      <Section title={`What a ${chain.value?.coin ?? 'coin'} is worth`}>
        <Answer asked={asked}>{(feeds) => <Feeds of={feeds} />}</Answer>
      </Section>
    </>
  );
}

/** A chart for each currency that there is a price in. */
function Feeds({ of }: { readonly of: readonly Feed[] }) {
  const known = of.filter(({ history, current }) => history.length > 0 || current !== undefined);
  const needed = countText(readConstant(chain.value?.config, 'MIN_FEEDS') ?? 0);
  if (known.length === 0)
    return (
      <p class="notice">
        No price is known. Witnesses publish prices with feed_publish; the chain has one as soon as {needed} of the
        round have, and takes the median each hour.
      </p>
    );
  return (
    <div class="charts">
      {known.map(({ symbol, current, history }) => (
        <Chart
          key={symbol}
          title={symbol}
          text={priceText(symbol, current)}
          now={toSeconds(chainTime.value)}
          times={history.map((_, index) => (index + 1 - history.length) * HOUR)}
          lines={[{ name: symbol, values: history }]}
          unit={symbol}
          isFromZero={false}
        />
      ))}
    </div>
  );
}

function priceText(symbol: string, price: number | undefined): string {
  const when = lastHeardText.value === undefined ? 'at present' : `as of ${lastHeardText.value}`;
  return price === undefined ? `no price ${when}` : `${price.toPrecision(4)} ${symbol} ${when}`;
}

function findString(name: string): string | undefined {
  const config: unknown = chain.value?.config;
  if (typeof config !== 'object' || config === null) return undefined;
  const value: unknown = Object.entries(config).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}

/** The chain's profile says which symbols there are; the others are refused. */
async function fetchFeed(client: Client, symbol: string): Promise<Feed> {
  const found = await unlessRefused(async () => await client.call('alexandria_api.get_feed_history', { symbol }));
  if (found === undefined) return { symbol, current: undefined, history: [] };
  const { feed_history: feed } = found;
  return {
    symbol,
    current: priceRate(feed.current_median_price),
    history: feed.price_history.flatMap((price) => priceRate(price) ?? []),
  };
}

/** Returns the coin's worth in the other currency; undefined for no price. */
function priceRate({ base, quote }: Price): number | undefined {
  const [coins, fiat] = [Number.parseFloat(base), Number.parseFloat(quote)];
  return coins > 0 && fiat > 0 ? fiat / coins : undefined;
}
