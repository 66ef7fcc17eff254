/** The members of an object of JSON, none of them checked yet. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/** The members of the JSON object in a text; undefined for any other text. */
export function parseMembers(text: string): JsonMembers | undefined {
  try {
    return toMembers(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The members of a JSON value; undefined when it is not an object. */
export function toMembers(value: unknown): JsonMembers | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** True when a value is a whole number from 0 on, which JSON keeps exactly. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A whole number from 0 to `most`; undefined for any other value. */
export function countMember(value: unknown, most = Number.MAX_SAFE_INTEGER): number | undefined {
  return isCount(value) && value <= most ? value : undefined;
}

/** Lower-case hex of that many bytes; undefined for any other value. */
export function hexMember(value: unknown, bytes: number): string | undefined {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]*$/.test(value) ? value : undefined;
}
