/** The id of entries that the chain itself made, outside any transaction. */
export const NO_TRANSACTION = '0'.repeat(40);
