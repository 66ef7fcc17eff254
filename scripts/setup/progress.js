const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;

/**
 * Shows steps that run at the same time: on a terminal a line each that moves, otherwise plain lines. Times are those
 * that were measured.
 */
export class Progress {
  /** @readonly */
  #output;
  /** @readonly */
  #isMoving;
  /** @type {Map<string, { doing: string, startedAt: number }>} @readonly */
  #running = new Map();
  #shown = 0;
  #frame = 0;
  #timer;

  constructor(output = process.stderr) {
    this.#output = output;
    this.#isMoving = output.isTTY === true && process.env.TERM !== 'dumb' && process.env.CI === undefined;
  }

  /** A step begins. */
  start(name, doing) {
    this.#running.set(name, { doing, startedAt: performance.now() });
    if (!this.#isMoving) this.say(doing);
    this.#timer ??= this.#isMoving ? setInterval(() => this.#draw(), frameMs) : undefined;
    if (this.#isMoving) this.#draw();
  }

  /** A step has ended; `how` says what was done where that was not what was announced. */
  end(name, how) {
    const { doing, startedAt } = this.#running.get(name);
    this.#running.delete(name);
    this.say(`${doing}: ${how} in ${seconds(startedAt)} s`);
    if (this.#running.size === 0) this.close();
  }

  /** A line for good, above the lines that move. */
  say(text) {
    this.#output.write(`${this.#erasing()}set-up: ${text}\n`);
    if (this.#isMoving && this.#running.size > 0) this.#draw();
  }

  /** Removes the lines that move. */
  close() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#output.write(this.#erasing());
  }

  #draw() {
    const width = Math.max(20, (this.#output.columns || 80) - 1);
    const frame = frames[this.#frame++ % frames.length];
    const lines = [...this.#running.values()].map(({ doing, startedAt }) =>
      `${frame} ${doing}  ${seconds(startedAt)} s`.slice(0, width),
    );
    this.#output.write(`${this.#erasing()}${lines.map((line) => `${line}\n`).join('')}`);
    this.#shown = lines.length;
  }

  #erasing() {
    const text = this.#shown === 0 ? '' : `\u001b[${this.#shown}A\u001b[J`;
    this.#shown = 0;
    return text;
  }
}

function seconds(startedAt) {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
