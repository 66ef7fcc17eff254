import { createInterface, type Interface } from 'node:readline';

/** Reads one line without echoing it; without a terminal, the next line of the input. '' when there is none. */
export function askHidden(question: string, input: NodeJS.ReadStream, output: NodeJS.WriteStream): Promise<string> {
  return input.isTTY ? askAtTerminal(question, input, output) : readNextLine(input);
}

function askAtTerminal(question: string, input: NodeJS.ReadStream, output: NodeJS.WriteStream): Promise<string> {
  const lines = createInterface({ input, terminal: true });
  // Not earlier: until now the terminal echoes what is typed.
  output.write(question);
  return new Promise((resolve) => {
    let answer = '';
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      output.write('\n');
      resolve(answer);
    });
  });
}

const piped = new WeakMap<NodeJS.ReadableStream, PipedLines>();

function readNextLine(input: NodeJS.ReadableStream): Promise<string> {
  const lines = piped.get(input) ?? new PipedLines(input);
  piped.set(input, lines);
  return lines.next();
}

/**
 * The lines of a pipe, which come several at once: those behind the one that was asked for are for the next question.
 */
class PipedLines {
  readonly #lines: Interface;
  readonly #arrived: string[] = [];
  #hasEnded = false;
  #answer: ((line: string) => void) | undefined;

  constructor(input: NodeJS.ReadableStream) {
    this.#lines = createInterface({ input, terminal: false });
    this.#lines.on('line', (line) => {
      this.#arrived.push(line);
      this.#give();
    });
    this.#lines.on('close', () => {
      this.#hasEnded = true;
      this.#give();
    });
  }

  /** '' behind the last one. */
  next(): Promise<string> {
    if (!this.#hasEnded) this.#lines.resume();
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#give();
    });
  }

  #give(): void {
    if (this.#answer === undefined || (this.#arrived.length === 0 && !this.#hasEnded)) return;
    // A pipe that stays open must not keep the process.
    if (!this.#hasEnded) this.#lines.pause();
    this.#answer(this.#arrived.shift() ?? '');
    this.#answer = undefined;
  }
}
