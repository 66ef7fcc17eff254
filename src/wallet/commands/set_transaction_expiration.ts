import { refusals } from '../../base/refusal.ts';
import { u32 } from '../../codec/primitives.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../../values/limits.ts';
import { command } from '../command.ts';

const refuse = refusals({ expiration_too_far: 'a transaction may live for at most {limit} seconds, got {seconds}' });

/** Gives new transactions so many seconds to get into a block (at most 3600): time to collect signatures. */
export const setTransactionExpirationCommand = command({
  name: 'set_transaction_expiration',
  doc: 'Gives new transactions so many seconds to get into a block (at most 3600): time to collect signatures. 0 goes back to 30.',
  params: { seconds: u32 },
  example: 'set_transaction_expiration 3600',
  local: true,
  refuses: refuse.texts,
  handler: ({ seconds }, { settings }) => {
    if (seconds > MAX_SECONDS_UNTIL_EXPIRATION)
      refuse.expiration_too_far({ limit: MAX_SECONDS_UNTIL_EXPIRATION, seconds });
    settings.expirationSeconds = seconds === 0 ? undefined : seconds;
    return null;
  },
});
