/** Limits of the wire types; limits that a chain chooses are in its genesis. */
export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);
export const UINT64_MAX = 2n ** 64n - 1n;
export const UINT128_MAX = 2n ** 128n - 1n;

/** A time that never comes: the largest 32-bit number of seconds. No block has it. */
export const NEVER = 0xffff_ffff;

/** No chain has larger transactions: its genesis allows no larger limit. */
export const LARGEST_TRANSACTION_BYTES = 1024 * 1024;
/** A memo must be shorter than this. */
export const MAX_MEMO_BYTES = 2048;
/** URLs of witnesses and applications. */
export const MAX_URL_BYTES = 2048;
/** Application names, when validated; in the state only 24 bytes of base64 are significant. */
export const MAX_APPLICATION_NAME_BYTES = 256;
/** Seeds of account names, since the first hardfork. */
export const MAX_NAME_SEED_BYTES = 32;
/** An account counts its witness votes in 16 bits. */
export const MAX_ACCOUNT_VOTES = 0xffff;
/** Accounts named in authorities may be nested this deep. */
export const MAX_SIGNATURE_CHECK_DEPTH = 2;
/** A transaction may expire this far ahead of the head block. */
export const MAX_SECONDS_UNTIL_EXPIRATION = 3600;
