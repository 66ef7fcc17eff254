/** The possible meanings of a search text, the likeliest first. */
export type Meaning =
  | { readonly kind: 'block'; readonly number: number }
  | { readonly kind: 'block_id'; readonly id: string; readonly number: number }
  | { readonly kind: 'transaction'; readonly id: string }
  | { readonly kind: 'short_id'; readonly digits: string }
  | { readonly kind: 'documents'; readonly name: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'account'; readonly name: string }
  | { readonly kind: 'application'; readonly name: string };

const LARGEST_NUMBER = 0xffff_ffff;

/**
 * Reads a search. An account is meant by its name or by the seed that its name was made from, and both are tried last,
 * because any text may be one; the id of a block begins with its number.
 */
export function listMeanings(text: string, keyPrefix: string): readonly Meaning[] {
  const term = text.trim();
  if (term === '') return [];
  const number = parseNumber(term.replace(/^block\b\s*/i, ''));
  const byName = possibleNames(term);
  const byShortId = shortBlockId(term);
  const transactions = shortTransactionId(term);
  // No number begins with zeros.
  if (byShortId.length > 0 && (number === undefined || term.startsWith('0')))
    return [...byShortId, ...transactions, ...byName];
  if (number !== undefined) return [{ kind: 'block', number }, ...transactions, ...byName];
  if (/^[0-9a-f]{40}$/i.test(term)) {
    const id = term.toLowerCase();
    return [
      { kind: 'block_id', id, number: Number.parseInt(id.slice(0, 8), 16) },
      { kind: 'transaction', id },
      ...byName,
    ];
  }
  return term.startsWith(keyPrefix) && term.length > keyPrefix.length + 40
    ? [{ kind: 'key', key: term }, ...byName]
    : [...documents(term), ...byName];
}

/** `Documents of dave`, as the search suggests it: of an account, or of an application. */
function documents(term: string): Meaning[] {
  const name = /^documents? of (\S+)$/i.exec(term)?.[1];
  if (name === undefined) return [];
  return [
    { kind: 'documents', name: name.toLowerCase() },
    { kind: 'application', name },
  ];
}

/** Names as they were written first, then in small letters and without blanks, as names of the chain are. */
function possibleNames(term: string): Meaning[] {
  const name = term.replace(/^@\s*/, '');
  const names = [...new Set([name, name.toLowerCase(), name.toLowerCase().replaceAll(/\s/g, '')])];
  const applications = [...new Set([term, term.toLowerCase()])];
  return [
    ...names.map((each) => ({ kind: 'account', name: each }) as const),
    ...applications.map((each) => ({ kind: 'application', name: each }) as const),
  ];
}

/** The beginning of a block's id, of which the first eight digits are its number. */
function shortBlockId(term: string): Meaning[] {
  const id = term.toLowerCase();
  return /^[0-9a-f]{8,39}$/.test(id) ? [{ kind: 'block_id', id, number: Number.parseInt(id.slice(0, 8), 16) }] : [];
}

/** The beginning of a transaction's id. */
function shortTransactionId(term: string): Meaning[] {
  const digits = term.toLowerCase();
  return /^[0-9a-f]{8,39}$/.test(digits) ? [{ kind: 'short_id', digits }] : [];
}

/** A number as people write it: `#1200`, `Block 1200`, `1,200`, `1 200`. */
function parseNumber(term: string): number | undefined {
  const digits = term.replace(/^#/, '').replaceAll(/[ ,_]/g, '');
  if (!/^\d{1,10}$/.test(digits)) return undefined;
  const number = Number(digits);
  return number <= LARGEST_NUMBER ? number : undefined;
}
