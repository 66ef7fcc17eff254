/**
 * A number among the constants of a chain. Their names begin with its word for itself, such as `COIN_`; undefined where
 * there is none of that name.
 */
export function readConstant(config: unknown, name: string): number | undefined {
  if (typeof config !== 'object' || config === null) return undefined;
  const found = Object.entries(config).find(([key]) => key === name || key.replace(/^[A-Z]+_/, '') === name);
  const value: unknown = found?.[1];
  return typeof value === 'number' ? value : undefined;
}
