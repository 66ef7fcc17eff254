/** A value that a refusal names in its text and data. */
export type RefusalDetail = string | number | bigint | boolean | readonly string[];

/** What a refusal says besides its text; shown to the asker, so never a secret. */
export type RefusalDetails = Readonly<Record<string, RefusalDetail>>;

/** The number of the lineage for an assertion. */
export const LINEAGE_ASSERTION = 10;

/**
 * The asker is wrong and can mend it. `code` is stable and machine-readable, `message` is the sentence for people; nothing was
 * changed. `lineageCode` is the number that the lineage node used for the same refusal (10 unless said), `lineage` its text.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly details: RefusalDetails;
  readonly lineageCode: number;
  /** Undefined where the lineage refused nothing of the kind, or said nothing. */
  readonly lineage: string | undefined;

  constructor(code: string, message: string, details: RefusalDetails = {}, lineageCode = LINEAGE_ASSERTION, lineage?: string) {
    // Where in our sources an asker was found wrong tells nobody anything, and finding it out costs more than all the rest.
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

/** Why something was refused, undefined when it was not; whatever else goes wrong is thrown. */
export function refusalOf(run: () => void): Refusal | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** What `refuse` refuses, for those who hand it on instead of throwing it. */
export function refusalBy(refuse: () => never): Refusal {
  try {
    return refuse();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** What is found, undefined when it was refused; whatever else goes wrong is thrown. */
export function unlessRefused<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/**
 * What a refusal says: a sentence with `{member}` placeholders, alone or with the text and the number that the lineage had for it.
 * Sentences begin in lower case and end without a full stop, because others are built from them.
 */
export type RefusalText = string | DeclaredRefusal;

interface DeclaredRefusal {
  readonly text: string;
  /** Has placeholders, too. */
  readonly lineage?: string;
  readonly lineageCode?: number;
}

/** A text with all that it may leave out. */
export function declaredRefusal(declared: RefusalText): DeclaredRefusal & { readonly lineageCode: number } {
  return typeof declared === 'string'
    ? { text: declared, lineageCode: LINEAGE_ASSERTION }
    : { ...declared, lineageCode: declared.lineageCode ?? LINEAGE_ASSERTION };
}

/** The names of the placeholders in a text that stands in the source as it is. */
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;
type PlaceholdersOf<Declared> = Declared extends { readonly text: infer Text }
  ? Placeholders<Text> | (Declared extends { readonly lineage: infer Lineage } ? Placeholders<Lineage> : never)
  : Placeholders<Declared>;

/** Throws a refusal; the members of `details` that its text names fill the placeholders there. */
export type Refuse<Names extends string = never> = [Names] extends [never]
  ? (details?: RefusalDetails) => never
  : (details: RefusalDetails & Readonly<Record<Names, RefusalDetail>>) => never;

/** Turns a table `code → text` into functions that throw: a file's refusals stand at its top, once. */
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

/** Room for a few keys; what an asker made up may be as long as a body, and is whole in the details. */
const LONGEST_SHOWN = 512;

/** What can't be seen, or turns around what stands beside it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const NEEDS_QUOTES = new RegExp(`^$|^\\s|\\s$|${UNSEEN.source}`, 'u');

/** A text in quotes, with escapes for what can't be seen. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** Nothing is shown as something, and so are blanks and what can't be seen, so that a sentence can be read. */
function shown(value: RefusalDetail): string {
  if (typeof value !== 'object') return cut(String(value), seen);
  return cut(value.map(seen).join(', ') || 'none', (text) => text);
}
