/** The form of this run: `npm test` has the short one, `npm run test:long` the long one. */
export const isLong = process.env['TEST_FORM'] === 'long';

/** A variable for more seeds or calls (test/README.md, "Seeds") selects all tests of the files that are named. */
const isAskedForMore = Object.keys(process.env).some((name) => /^PHAROS_(?:TEST|SIM|SOAK|FAIL|HEALTHY)/.test(name));

/** For a test of the long form in a file that has others: `test('…', inLongForm, () => …)`. */
export const inLongForm = { skip: isLong || isAskedForMore ? false : 'npm run test:long runs it' };

/** For a test of such a file that takes its seconds and is the same in both forms: once is enough. */
export const inShortForm = { skip: isLong ? 'npm test runs it' : false };

/** The number of seeds, rounds or operations of a test: the variable of that name, otherwise the count of the form. */
export function formSize(variable: string, { short, long }: { readonly short: number; readonly long: number }): number {
  return Number(process.env[variable] ?? (isLong ? long : short));
}
