/** A value that a refusal names in its text and data. */
export type RefusalDetail = string | number | bigint | boolean | readonly string[];

/** What a refusal says besides its text; shown to the asker, so never a secret. */
export type RefusalDetails = Readonly<Record<string, RefusalDetail>>;

/**
 * The asker is wrong and can mend it. `code` is stable and machine-readable, `message` is the text for people;
 * nothing was changed. `lineageCode` is the number that the original node used for the same refusal (10 unless said).
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly details: RefusalDetails;
  readonly lineageCode: number;

  constructor(code: string, message: string, details: RefusalDetails = {}, lineageCode = 10) {
    // Where in our sources an asker was found wrong tells nobody anything, and finding it out costs more than all the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
    this.lineageCode = lineageCode;
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

/** What is found, undefined when it was refused; whatever else goes wrong is thrown. */
export function unlessRefused<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** A text with `{member}` placeholders, alone or with the original's number for it. */
export type RefusalText = string | { readonly text: string; readonly lineageCode: number };

/** Throws the refusal of that name; members of `details` fill the placeholders of the text. */
export type Refuse = (details?: RefusalDetails) => never;

/** Turns a table `code → text` into functions that throw: a file's refusals stand at its top, once. */
export function refusals<const T extends Readonly<Record<string, RefusalText>>>(
  texts: T,
): { readonly [K in keyof T]: Refuse } & { readonly texts: T };
export function refusals(texts: Readonly<Record<string, RefusalText>>): Record<string, unknown> {
  const functions: Record<string, unknown> = { texts };
  for (const [code, entry] of Object.entries(texts)) {
    const text = typeof entry === 'string' ? entry : entry.text;
    const lineageCode = typeof entry === 'string' ? 10 : entry.lineageCode;
    functions[code] = (details: RefusalDetails = {}): never => {
      throw new Refusal(code, fill(text, details), details, lineageCode);
    };
  }
  return functions;
}

function fill(text: string, details: RefusalDetails): string {
  return text.replace(/\{(\w+)\}/g, (whole, member: string) => {
    const value = details[member];
    return value === undefined ? whole : String(value);
  });
}
