import { MOST_DIGITS } from '../codec/json_exact.ts';
import { MOST_WIFS } from '../crypto/leaked_keys.ts';
import { MOST_PARAM_VALUES } from '../jsonrpc/limits/limits.ts';
import { MOST_STEPS } from '../blocks/finality/trust.ts';

/** A limit that no setting changes, and the words that say what is counted. */
interface FixedLimit {
  readonly most: number;
  readonly of: string;
}

/** The limits of a node that no setting changes, each by the name of the refusal behind it. */
export const fixedLimits = {
  /** A page of 1 000 keys or names, written generously. */
  params_too_long: { most: 128 * 1024, of: 'bytes of the params of a call' },
  params_too_many: { most: MOST_PARAM_VALUES, of: 'values in the params of a call, in lists and objects too' },
  json_number_too_long: { most: MOST_DIGITS, of: 'characters of an integer in JSON' },
  memo_holds_keys: { most: MOST_WIFS, of: 'private keys in the texts of a transaction, none of which is published' },
  /** About a second of work for one verifier. */
  too_many_broadcasts: { most: 20_000, of: 'broadcasts that wait for the verifiers' },
  /** Four times the promised number; 1 KiB each. */
  too_many_waiting: { most: 20_000, of: 'broadcasts that wait for their block' },
  /** Half as many: while finality stands still, these must not take the places of those that wait for a block. */
  not_final: {
    most: 10_000,
    of: 'broadcasts that wait until their block is final; the oldest of more are answered before',
  },
  checkpoint_too_far: { most: MOST_STEPS, of: 'certificates between the trusted epoch and that of a proof' },
  /** The clocks of honest nodes differ by less than this. */
  block_in_future: { most: 5, of: 'seconds between the clock of the node and the time of a later block' },
} as const satisfies Readonly<Record<string, FixedLimit>>;

/** Params of a transaction as JSON have at most that many bytes for each byte of the transaction. */
export const JSON_BYTES_OF_ONE = 16;
