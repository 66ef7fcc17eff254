import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import { accountFlags, onChain, sendAs, witnessOf, type AccountFlags, type ChainWitness } from './chain_access.ts';

interface Flags extends AccountFlags {
  readonly file?: string;
  readonly command?: string;
  readonly from?: string;
  readonly currency: string;
  readonly coin: string;
  readonly least: string;
  readonly most: string;
  readonly changePercent: string;
}

const ANSWER_MS = 10_000;
const LONGEST_ANSWER = 65_536;
const DECIMALS = 6;

/** `pharos witness feed`: publishes a price, once; cron calls it. */
export function feedCommand(): Command {
  return accountFlags(new Command('feed').description('publish the price of the coin, from a source of yours and within limits'))
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
      const price = await priceFrom(flags);
      await onChain(flags, async (client) => {
        requireWithinLimits(price, await witnessOf(client, name), flags);
        const exchange_rate = { base: `${(1).toFixed(DECIMALS)} ${flags.coin}`, quote: `${price.toFixed(DECIMALS)} ${flags.currency}` };
        await sendAs(client, name, ['feed_publish', { publisher: name, exchange_rate }], flags);
      });
    });
}

async function priceFrom({ file, command, from }: Flags): Promise<number> {
  const sources = [file, command, from].filter((source) => source !== undefined);
  if (sources.length !== 1) throw new Fault('configuration', 'one of --file, --command and --from expected');
  const text = file !== undefined ? readFileSync(file, 'utf8') : command !== undefined ? outputOf(command) : await answerOf(from ?? '');
  const number = /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/.exec(text.slice(0, LONGEST_ANSWER))?.[0];
  if (number === undefined) throw new Fault('runtime', `${sources.join('')}: no number in it, nothing was published`);
  return Number(number);
}

function outputOf(command: string): string {
  return execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8', timeout: ANSWER_MS, maxBuffer: LONGEST_ANSWER });
}

async function answerOf(address: string): Promise<string> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (!answer.ok) throw new Fault('runtime', `${address}: answer ${answer.status}, nothing was published`);
  return await beginningOf(answer);
}

/** A source that never ends its answer is read no further than a price can be looked for. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  const parts: AsyncIterable<Uint8Array> | null = body;
  let text = '';
  for await (const bytes of parts ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= LONGEST_ANSWER) break;
  }
  return text;
}

/** A source that is broken or bought must not move the chain's price. */
function requireWithinLimits(price: number, witness: ChainWitness | undefined, { least, most, changePercent, currency }: Flags): void {
  const fail = (why: string): never => {
    throw new Fault('runtime', `a price of ${price} ${why}: nothing was published`);
  };
  if (witness === undefined) fail('by nobody: the chain knows no such witness');
  if (!(price >= Number(least))) fail(`is below --least ${least}`);
  if (!(price <= Number(most))) fail(`is above --most ${most}`);
  const [, last] = [...(witness?.submitted_exchange_rates ?? [])].find(([symbol]) => symbol === currency) ?? [];
  if (last === undefined) return;
  const before = Number.parseFloat(last.rate.quote) / Number.parseFloat(last.rate.base);
  const change = (Math.abs(price - before) / before) * 100;
  if (!(change <= Number(changePercent))) fail(`differs by ${change.toFixed(0)} % from the last one, ${before}; see --change-percent`);
}
