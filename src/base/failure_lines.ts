import type { Clock } from './clock.ts';

/** Options for logging failures. */
export interface FailureLinesOptions {
  readonly clock: Clock;
  /** Writes a line; the stack is given with the first failure of each kind. */
  readonly write: (line: string, stack: string | undefined) => void;
}

/** The failures in one place. */
interface Place {
  /** Failures since the last line. */
  leftOut: number;
  last: string;
  cancel: (() => void) | undefined;
}

/** A client may repeat a failing call a thousand times a second: that gives at most one line a minute. */
const LINE_MS = 60_000;
/**
 * The number of remembered stacks, about 1 KiB each. A program has fewer bugs, but one bug may appear with many stacks.
 */
const MOST_STACKS = 100;
/** Length limit of a message, which may contain what the client sent. */
const MOST_CHARACTERS = 200;

/**
 * Logs internal errors that clients ran into. For each place (the method that was called) it writes one line at once
 * and then at most one line a minute, which says how many failures it stands for.
 */
export class FailureLines {
  readonly #options: FailureLinesOptions;
  readonly #places = new Map<string, Place>();
  readonly #stacks = new Set<string>();

  constructor(options: FailureLinesOptions) {
    this.#options = options;
  }

  /** Reports a failure; `place` is one of a small fixed set, never text from the client. */
  report(error: unknown, place: string): void {
    const known = this.#places.get(place);
    if (known?.cancel === undefined) return this.#begin(error, place);
    known.leftOut++;
    known.last = summarizeError(error);
  }

  #begin(error: unknown, name: string): void {
    this.#options.write(`${name}: ${summarizeError(error)}`, this.#newStack(error));
    const place: Place = { leftOut: 0, last: '', cancel: undefined };
    this.#places.set(name, place);
    this.#wait(name, place);
  }

  /** Stays silent for a while, then writes how many failures occurred meanwhile. */
  #wait(name: string, place: Place): void {
    const { clock, write } = this.#options;
    const end = (): void => {
      place.cancel = undefined;
      if (place.leftOut === 0) return;
      write(`${name}: ${place.leftOut} more, the last one ${place.last}`, undefined);
      place.leftOut = 0;
      this.#wait(name, place);
    };
    place.cancel = clock.after(LINE_MS, end, false);
  }

  /** The stack, unless one of the same kind was already written. */
  #newStack(error: unknown): string | undefined {
    const stack = error instanceof Error ? error.stack : undefined;
    const kind = stackFrames(stack).join('\n');
    if (stack === undefined || this.#stacks.has(kind) || this.#stacks.size >= MOST_STACKS) return undefined;
    this.#stacks.add(kind);
    return stack;
  }
}

/** Describes an error and its place in one line. For an exception from another thread, only the stack is reliable. */
function summarizeError(error: unknown): string {
  const [said = '', ...more] = (error instanceof Error ? (error.stack ?? String(error)) : String(error)).split('\n');
  const [frame = ''] = stackFrames(more.join('\n'));
  const text = said.length > MOST_CHARACTERS ? `${said.slice(0, MOST_CHARACTERS)}…` : said;
  return frame === '' ? text : `${text} ${frame.trim()}`;
}

function stackFrames(stack = ''): string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}
