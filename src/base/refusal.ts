/** A value that a refusal names in its text and data. */
export type RefusalDetail = string | number | bigint | boolean | readonly string[];

/** Details of a refusal besides its text; sent to the client, so never a secret. */
export type RefusalDetails = Readonly<Record<string, RefusalDetail>>;

/** The lineage's error number for an assertion. */
export const LINEAGE_ASSERTION = 10;

/**
 * The request is invalid and the client can correct it. `code` is stable and machine-readable, `message` is
 * human-readable; no state was changed. `lineageCode` is the lineage node's number for the same refusal (10 by
 * default), `lineage` its text.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly code: string;
  readonly details: RefusalDetails;
  readonly lineageCode: number;
  /** Undefined where the lineage has no such refusal, or no text for it. */
  readonly lineage: string | undefined;

  constructor(
    code: string,
    message: string,
    details: RefusalDetails = {},
    lineageCode = LINEAGE_ASSERTION,
    lineage?: string,
  ) {
    // The source location of a refusal is of no use to anyone, and capturing the stack would cost more than everything
    // else.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
    this.lineageCode = lineageCode;
    this.lineage = lineage;
  }
}

/** The refusal thrown by `run`, or undefined if there was none; any other error is rethrown. */
export function catchRefusal(run: () => void): Refusal | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The refusal that `refuse` throws, for callers that pass it on instead of throwing it. */
export function expectRefusal(refuse: () => never): Refusal {
  try {
    return refuse();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The result of `find`, or undefined if it was refused; any other error is rethrown. */
export function unlessRefused<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/**
 * The text of a refusal: a sentence with `{member}` placeholders, alone or with the lineage's text and number for it.
 * Sentences begin in lower case and end without a full stop, because longer ones are built from them.
 */
export type RefusalText = string | DeclaredRefusal;

interface DeclaredRefusal {
  readonly text: string;
  /** May have placeholders as well. */
  readonly lineage?: string;
  readonly lineageCode?: number;
}

/** A refusal text with its optional members filled in. */
export function declaredRefusal(declared: RefusalText): DeclaredRefusal & { readonly lineageCode: number } {
  return typeof declared === 'string'
    ? { text: declared, lineageCode: LINEAGE_ASSERTION }
    : { ...declared, lineageCode: declared.lineageCode ?? LINEAGE_ASSERTION };
}

/** The names of the placeholders in a literal text. */
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;
type PlaceholdersOf<Declared> = Declared extends { readonly text: infer Text }
  ? Placeholders<Text> | (Declared extends { readonly lineage: infer Lineage } ? Placeholders<Lineage> : never)
  : Placeholders<Declared>;

/** Throws a refusal; the placeholders in its text are filled from `details`. */
export type Refuse<Names extends string = never> = [Names] extends [never]
  ? (details?: RefusalDetails) => never
  : (details: RefusalDetails & Readonly<Record<Names, RefusalDetail>>) => never;

/** Turns a table `code → text` into functions that throw, so that a file lists its refusals once, at its top. */
export function refusals<const T extends Readonly<Record<string, RefusalText>>>(
  texts: T,
): { readonly [K in keyof T]: Refuse<PlaceholdersOf<T[K]>> } & { readonly texts: T };
export function refusals(texts: Readonly<Record<string, RefusalText>>): Record<string, unknown> {
  const functions: Record<string, unknown> = { texts };
  for (const [code, entry] of Object.entries(texts)) {
    const { text, lineage, lineageCode } = declaredRefusal(entry);
    functions[code] = (details: RefusalDetails = {}): never => {
      const original = lineage === undefined ? undefined : fill(lineage, details, String);
      throw new Refusal(code, fill(text, details, shown), details, lineageCode, original);
    };
  }
  return functions;
}

function fill(text: string, details: RefusalDetails, write: (value: RefusalDetail) => string): string {
  return text.replace(/\{(\w+)\}/g, (whole, member: string) => {
    const value = details[member];
    return value === undefined ? whole : write(value);
  });
}

function cut(text: string, show: (text: string) => string): string {
  return text.length > LONGEST_SHOWN ? `${show(text.slice(0, LONGEST_SHOWN))}…` : show(text);
}

function seen(text: string): string {
  return NEEDS_QUOTES.test(text) ? quoted(text) : text;
}

/** Enough for a few keys; text from a client may be as long as a request body, and is complete in the details. */
const LONGEST_SHOWN = 512;

/** Invisible characters, and those that change the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const NEEDS_QUOTES = new RegExp(`^$|^\\s|\\s$|${UNSEEN.source}`, 'u');

/** A text in quotes, with escapes for invisible characters. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    UNSEEN,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Makes an empty value, blanks and invisible characters visible, so that the sentence stays readable. */
function shown(value: RefusalDetail): string {
  if (typeof value !== 'object') return cut(String(value), seen);
  return cut(value.map(seen).join(', ') || 'none', (text) => text);
}
