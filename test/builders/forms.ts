/** The form of this run: `npm test` has the short one, `npm run test:long` the long one. */
export const isLong = process.env['TEST_FORM'] === 'long';

/** For a test of the long form in a file that has others: `test('…', inLongForm, () => …)`. */
export const inLongForm = { skip: isLong ? false : 'npm run test:long runs it' };

/** The number of seeds, rounds or operations of a test: the variable of that name, otherwise the count of the form. */
export function formSize(variable: string, { short, long }: { readonly short: number; readonly long: number }): number {
  return Number(process.env[variable] ?? (isLong ? long : short));
}
