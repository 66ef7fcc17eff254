import type { Clock } from './clock.ts';

/** What is written of failures. */
export interface FailureLinesOptions {
  readonly clock: Clock;
  /** Takes a line; with the first of each kind of failure its stack. */
  readonly write: (line: string, stack: string | undefined) => void;
}

/** What is known of the failures in one place. */
interface Place {
  /** Failures since the last line. */
  leftOut: number;
  last: string;
  cancel: (() => void) | undefined;
}

/** Whoever finds a call that fails makes it a thousand times a second: it is one line a second then. */
const LINE_MS = 1000;
/** Stacks that are remembered as written, some 1 KiB each. A program has fewer mistakes, but a stack may be any of many. */
const MOST_STACKS = 100;
/** Of a message, which may hold what the asker sent. */
const MOST_CHARACTERS = 200;

/**
 * Tells the operator of mistakes of ours that askers ran into: for each place, which is the method that was called, one line at once
 * and then one a second at most, which says how many it stands for.
 */
export class FailureLines {
  readonly #options: FailureLinesOptions;
  readonly #places = new Map<string, Place>();
  readonly #stacks = new Set<string>();

  constructor(options: FailureLinesOptions) {
    this.#options = options;
  }

  /** Takes a failure; `place` is one of a few, never a text of the asker. */
  report(error: unknown, place: string): void {
    const known = this.#places.get(place);
    if (known?.cancel === undefined) return this.#begin(error, place);
    known.leftOut++;
    known.last = summaryOf(error);
  }

  #begin(error: unknown, name: string): void {
    this.#options.write(`${name}: ${summaryOf(error)}`, this.#newStackOf(error));
    const place: Place = { leftOut: 0, last: '', cancel: undefined };
    this.#places.set(name, place);
    this.#wait(name, place);
  }

  /** Silence for a while, then how many failures there were in it. */
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

  /** The stack, if none of the same kind was written before. */
  #newStackOf(error: unknown): string | undefined {
    const stack = error instanceof Error ? error.stack : undefined;
    const kind = framesOf(stack).join('\n');
    if (stack === undefined || this.#stacks.has(kind) || this.#stacks.size >= MOST_STACKS) return undefined;
    this.#stacks.add(kind);
    return stack;
  }
}

/** What went wrong, and where, in a line. Of another thread's exception only the stack is its own. */
function summaryOf(error: unknown): string {
  const [said = '', ...more] = (error instanceof Error ? (error.stack ?? String(error)) : String(error)).split('\n');
  const [frame = ''] = framesOf(more.join('\n'));
  const text = said.length > MOST_CHARACTERS ? `${said.slice(0, MOST_CHARACTERS)}…` : said;
  return frame === '' ? text : `${text} ${frame.trim()}`;
}

function framesOf(stack = ''): string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}
