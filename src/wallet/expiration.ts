import { refusals } from '../base/refusal.ts';
import { member } from '../client/chain_of_node.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import { parseTime, addSeconds, timeText, type Seconds } from '../values/time.ts';
import type { Wallet } from './wallet.ts';

const refuse = refusals({
  chain_ahead_of_clock:
    'the node says that it is {head_time} on the chain, {seconds} seconds ahead of this machine; nothing was signed. Set the clock right, or let --trust-time take it as it is, on a development chain',
  expires_too_late:
    'the transaction expires at {expiration}, more than an hour from now; nothing was signed (see --trust-time)',
  no_head_time: 'the node does not say what time it is on the chain',
});

/** The refusals of choosing the expiration of a transaction. */
export const expirationRefusals = refuse.texts;

/** The lifetime of transactions unless another is chosen. */
const LIFETIME_SECONDS = 30;
/** The clocks of honest machines differ by less. */
const SKEW_SECONDS = 30;

/**
 * When a new transaction expires: the node's choice or so long after its head as the person chose, but by the clock of
 * this machine no later than that, so that a node can't keep a signature for another day.
 */
export async function chooseExpiration(wallet: Wallet, built: Seconds): Promise<Seconds> {
  const { expirationSeconds: chosen, trustsTime } = wallet.settings;
  const wanted = chosen === undefined ? built : addSeconds(await headTime(wallet), chosen);
  const now = currentSeconds(wallet);
  const latest = addSeconds(now, (chosen ?? LIFETIME_SECONDS) + SKEW_SECONDS);
  if (trustsTime || wanted <= latest) return wanted;
  const head = await headTime(wallet);
  if (head > now + SKEW_SECONDS) refuse.chain_ahead_of_clock({ head_time: timeText(head), seconds: head - now });
  return latest;
}

/** Refuses a transaction made by somebody else that expires later than any transaction may. */
export function requireNearExpiration(wallet: Wallet, expiration: Seconds): void {
  const latest = currentSeconds(wallet) + MAX_SECONDS_UNTIL_EXPIRATION + SKEW_SECONDS;
  if (expiration > latest && !wallet.settings.trustsTime) refuse.expires_too_late({ expiration: timeText(expiration) });
}

function currentSeconds({ clock }: Wallet): Seconds {
  return Math.trunc(clock.nowMs() / 1000);
}

async function headTime({ node }: Wallet): Promise<Seconds> {
  const time = member(await node.ask('get_dynamic_global_properties', {}, 'properties'), 'time');
  return (typeof time === 'string' ? parseTime(time) : undefined) ?? refuse.no_head_time();
}
