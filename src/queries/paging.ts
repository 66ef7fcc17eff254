import { refusals } from '../base/refusal.ts';
import type { Codec } from '../codec/codec.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { describeInteger, u32 } from '../codec/primitives.ts';

/** Records in one response of database_api: at most a megabyte, written within milliseconds. */
export const LARGEST_PAGE = 1000;
/** Entries in one response of a history or of documents, which are smaller. */
export const LARGEST_HISTORY_PAGE = 10_000;

/** The largest page, in records; `requirePage` refuses more. */
export const pageLimit: Codec<number, number> = {
  ...u32,
  describe: (encoding) => describeInteger(0n, BigInt(LARGEST_PAGE), encoding),
};
/** The same for entries. */
export const historyPageLimit: Codec<number, number> = {
  ...u32,
  describe: (encoding) => describeInteger(0n, BigInt(LARGEST_HISTORY_PAGE), encoding),
};

const refuse = refusals({
  page_too_large: {
    text: 'at most {largest} at once, got {count}; ask for the rest in further calls',
    lineage: '{given} <= {word}_API_SINGLE_QUERY_LIMIT: ',
  },
  history_page_too_large: {
    text: 'at most {largest} at once, got {limit}; ask for the rest in further calls',
    lineage: '{given} <= {bound}: limit of {limit} is greater than maxmimum allowed',
  },
});

/** The refusals of methods with pages. */
export const pageRefusals = { page_too_large: refuse.texts.page_too_large };
export const historyPageRefusals = { history_page_too_large: refuse.texts.history_page_too_large };

/** Refuses more than 1 000 records; `given` is the name of the number in the lineage's text. */
export function requirePage(count: number, encoding: EncodingOptions, given = 'args.limit'): void {
  if (count > LARGEST_PAGE)
    refuse.page_too_large({ count, given, word: encoding.coinName.toUpperCase(), largest: LARGEST_PAGE });
}

/** Refuses more than 10 000 entries. */
export function requireHistoryPage(limit: number, given = 'args.limit', bound = String(LARGEST_HISTORY_PAGE)): void {
  if (limit > LARGEST_HISTORY_PAGE)
    refuse.history_page_too_large({ given, bound, limit, largest: LARGEST_HISTORY_PAGE });
}
