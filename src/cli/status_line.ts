/** Of a terminal that does not tell its width. */
const USUAL_COLUMNS = 80;
/** Without a terminal, as in the log of a service, a line says as much as ten on a terminal. */
const LINES_EVERY_MS = 10_000;

/** Columns that a status line may have. */
export function statusColumns(): number {
  return process.stderr.isTTY ? process.stderr.columns || USUAL_COLUMNS : Infinity;
}

/** Shows what long work is at: on a terminal in one line, elsewhere as a line now and then. */
export class StatusLine {
  readonly #write: (text: string) => unknown;
  readonly #isTerminal: boolean;
  readonly #nowMs: () => number;
  #saidMs = -Infinity;
  #said = '';

  constructor(
    write: (text: string) => unknown = (text) => process.stderr.write(text),
    isTerminal: boolean = process.stderr.isTTY,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#write = write;
    this.#isTerminal = isTerminal;
    this.#nowMs = nowMs;
  }

  /** Takes the place of the text before; elsewhere than on a terminal it is said when the last line is old. */
  show(text: string): void {
    if (this.#isTerminal) return this.#replace(text);
    if (this.#nowMs() - this.#saidMs >= LINES_EVERY_MS) this.#say(text);
  }

  /** The same for another step of the work, which is always said. */
  step(text: string): void {
    if (this.#isTerminal) this.#replace(text);
    else this.#say(text);
  }

  /** Removes the line from a terminal. */
  clear(): void {
    if (this.#isTerminal) this.#replace('');
  }

  #replace(text: string): void {
    // A longer one would go on in the next line, and stay there.
    this.#write(`\r\u001b[K${text.slice(0, statusColumns() - 1)}`);
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#write(`${text}\n`);
    [this.#saidMs, this.#said] = [this.#nowMs(), text];
  }
}
