import { options, isOptionKey, type Option, type OptionValues } from './options.ts';

const HIDDEN = '(hidden)';

/** The settings that have values, without secrets, for a person who is shown them. */
export function shownSettings(values: OptionValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      if (value === undefined || !isOptionKey(key)) return [];
      const option: Option = options[key];
      return [[key, shownValue(value, option.secret)]];
    }),
  );
}

function shownValue(value: unknown, secret: Option['secret']): unknown {
  if (secret === undefined) return value;
  if (Array.isArray(value)) return value.map((each) => shownValue(each, secret));
  // A password may have an @ that nobody has escaped, and stand before a host without a scheme.
  return secret === 'whole' ? HIDDEN : String(value).replace(/^([a-z]+:\/\/)?.*@/i, `$1${HIDDEN}@`);
}
