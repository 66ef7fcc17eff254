/** No one can act for these two; what the second holds is burned. */
export const MINERS_ACCOUNT = 'miners';
export const NULL_ACCOUNT = 'none';
/** An account that anyone may act for: it counts as approved wherever it is named. */
export const TEMP_ACCOUNT = 'temp';
/** The first witness. */
export const INIT_MINER_ACCOUNT = 'initminer';

/** Every chain has these accounts from genesis on. */
export const reservedAccounts: readonly string[] = [MINERS_ACCOUNT, NULL_ACCOUNT, TEMP_ACCOUNT, INIT_MINER_ACCOUNT];
