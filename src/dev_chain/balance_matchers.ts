/** The part of a development chain that matchers ask. */
interface Balances {
  balance(account: string): Promise<string>;
}

/** The outcome of a matcher, as `expect.extend` of Vitest and Jest takes it. */
export interface BalanceMatch {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Matchers for `expect.extend` of Vitest and Jest: `await expect(chain).toHaveBalance('bob', '10000001.000000 COIN')`.
 */
export const balanceMatchers = {
  async toHaveBalance(chain: Balances, account: string, expected: string): Promise<BalanceMatch> {
    const balance = await chain.balance(account);
    const pass = balance === expected;
    return { pass, message: () => `${account} has ${balance}, ${pass ? 'as it should not' : `not ${expected}`}` };
  },
};
