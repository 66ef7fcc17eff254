import { createInterface, type Interface } from 'node:readline';
import { exitCodes } from '../base/exit_codes.ts';
import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { askTwice, NEW_SECRET, secretsLeftOut, typedArguments, withSecrets } from './arguments.ts';
import { isYes, keysHaveArrived } from './ask_yes.ts';
import { complete, KnownNames } from './completion.ts';
import { explain, failureExitCode } from './failure.ts';
import type { Command } from './command.ts';
import { meant } from './help_text.ts';
import { replaceFile, requireReplaceable } from './key_file/replace_file.ts';
import type { Person } from './person.ts';
import { describeOutcome, type Outcome } from './outcome.ts';
import { prettyJson } from './pretty_json.ts';
import { Progress } from './progress.ts';
import { readLine, type Word } from './read_line.ts';
import type { Session } from './session.ts';
import { coloured, escapeControls, type Terminal } from './show/terminal.ts';
import { appendFileSync, chmodSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { readText } from './key_file/read_key_file.ts';

/** Most lines kept; nobody scrolls back further. */
const MOST_LINES = 1000;
const OWNER_ONLY = 0o600;

/** The typed lines, newest first. Only the owner can read the file; callers must keep secrets out. */
export function readHistory(path: string): string[] {
  const lines = (readText(path) ?? '').split('\n').filter((line) => line !== '');
  if (lines.length > MOST_LINES * 2) replaceFile(path, `${lines.slice(-MOST_LINES).join('\n')}\n`);
  return lines.slice(-MOST_LINES).toReversed();
}

/** Adds a line. A history that can't be written is no reason to stop, so the Fault is returned, not thrown. */
export function appendHistory(path: string, line: string): Fault | undefined {
  try {
    appendFileSync(path, `${line}\n`, { mode: OWNER_ONLY });
    chmodSync(path, OWNER_ONLY);
    return undefined;
  } catch (cause) {
    return new Fault('disk', `cannot write the history ${path}`, cause);
  }
}

/** Input and output of the prompt: a terminal, or a script through a pipe. */
export interface PromptOptions {
  readonly session: Session;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** True when lines are edited, completed and kept in the history, and secrets hidden. */
  readonly isTerminal: boolean;
  readonly terminal: Terminal;
  readonly historyFile: string;
  readonly json: boolean;
}

const NOTHING_SENT: Outcome = { text: '', hasFailed: false };
const LEAVING: ReadonlySet<string> = new Set(['exit', 'quit']);

/**
 * Reads commands until the input ends. Returns the exit code: 0 at a terminal, that of the last failed command with a
 * pipe.
 */
export async function runPrompt(options: PromptOptions): Promise<number> {
  return await new Prompt(options).run();
}

class Prompt {
  readonly #options: PromptOptions;
  readonly #session: Session;
  readonly #lines: Interface;
  readonly #names = new KnownNames();
  /** Lines that arrived before they were needed, and the callback that waits for the next one. */
  readonly #arrived: { readonly line: string; readonly isEchoed: boolean }[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #ended = false;
  /** True while a secret is typed, and behind a line that will ask for one: it may come in the same piece of input. */
  #hidden = false;
  /** The lines that the arrow keys bring back; undefined before the first line. */
  #history: string[] | undefined;
  #exitCode = 0;

  constructor(options: PromptOptions) {
    const { input, isTerminal, session, historyFile } = options;
    this.#options = options;
    this.#session = session;
    this.#lines = createInterface({
      input,
      output: this.#maskedOutput(),
      terminal: isTerminal,
      historySize: 1000,
      removeHistoryDuplicates: true,
      ...(isTerminal
        ? {
            history: readHistory(historyFile),
            completer: (line: string) => (this.#hidden ? [[], line] : complete(line, session, this.#names)),
          }
        : {}),
    });
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.on('close', () => this.#end());
    // Ctrl-C discards the line; Ctrl-D exits.
    this.#lines.on('SIGINT', () => this.#giveUp());
    // Whether a line is a command or a secret is known when it is taken up.
    this.#lines.on('history', (history: string[]) => {
      history.shift();
      this.#history = history;
    });
  }

  async run(): Promise<number> {
    for (;;) {
      const line = await this.#next(`${this.#session.wallet.keys.state} >>> `);
      if (line === undefined || LEAVING.has(line.trim())) break;
      if (this.#options.isTerminal) this.#remember(line);
      await this.#runLine(line.trim());
    }
    this.#lines.close();
    if (this.#options.isTerminal) this.#print('\n');
    return this.#options.isTerminal ? 0 : this.#exitCode;
  }

  async #runLine(line: string): Promise<void> {
    if (line === '' || line.startsWith('#')) return;
    try {
      const { words, file } = redirected(readLine(line));
      await this.#runCommand(words, file);
    } catch (error) {
      this.#exitCode = failureExitCode(error);
      this.#print(`${coloured(explain(error), 'red', this.#options.terminal)}\n`);
      // The secret that was pasted behind the command is no command.
      if (this.#options.isTerminal && this.#asksSecret(line))
        this.#dropTyped('was meant for a command that has failed');
    }
  }

  async #runCommand([first, ...words]: readonly Word[], file: string | undefined): Promise<void> {
    const { terminal, json, isTerminal, output } = this.#options;
    const command = this.#session.named(
      meant(first === undefined || first.kind === 'json' ? '' : first.text, words.length),
    );
    const ask = (name: string): Promise<string> => this.#askSecret(name);
    const known = typedArguments(command, words);
    if (file !== undefined) requireReplaceable(file);
    // Of a script the next line is the secret, which must not be taken for a command.
    if (isTerminal && command.needsKeys) this.#session.wallet.keys.requireUnlocked();
    const args = await withSecrets(command, known, (name) =>
      isTerminal && name === NEW_SECRET ? askTwice(ask) : ask(name),
    );
    const { clock } = this.#session.wallet;
    const progress = new Progress(command.name, isTerminal ? output : undefined, clock);
    const result = await progress.during(async () => await this.#session.run(command, args, this.#person(progress)));
    this.#learn(command, words, result);
    const failure = file === undefined ? undefined : catchFault(() => replaceFile(file, `${prettyJson(result)}\n`));
    if (file === undefined || failure !== undefined) this.#show(command, result);
    const { text, hasFailed } = describeOutcome(command, args, result) ?? NOTHING_SENT;
    if (hasFailed) this.#exitCode = exitCodes.refused;
    // A script expects only results on the output.
    if (text !== '' && isTerminal && !json) this.#print(`${hasFailed ? coloured(text, 'red', terminal) : text}\n`);
    if (failure !== undefined) throw failure;
  }

  /** A script expects only results on the output, and nobody answers it. */
  #person(progress: Progress): Person | undefined {
    if (!this.#options.isTerminal) return undefined;
    const confirm = async (question: string): Promise<boolean> =>
      await progress.asking(async () => await this.#confirm(question));
    const tell = (text: string): void => {
      if (this.#options.json) return;
      progress.clear();
      this.#print(`${escapeControls(text)}\n`);
    };
    return { tell, confirm };
  }

  /** Only what is typed below the question answers it. */
  async #confirm(question: string): Promise<boolean> {
    const [facts, asked] = parted(escapeControls(question));
    this.#print(facts);
    if (this.#options.isTerminal) await keysHaveArrived();
    this.#dropTyped('was typed before this question');
    return isYes((await this.#next(`${asked} [y/N] `)) ?? '');
  }

  /** Drops lines, and a half of one, that have arrived. */
  #dropTyped(why: string): void {
    if (this.#arrived.length > 0) this.#print(`(what ${why} is dropped)\n`);
    this.#arrived.length = 0;
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
  }

  #show({ show }: Command, result: Json): void {
    const { terminal, json } = this.#options;
    const text = json || show === undefined ? escapeControls(prettyJson(result)) : show(result, terminal);
    this.#print(text.endsWith('\n') ? text : `${text}\n`);
  }

  #learn({ params }: Command, words: readonly Word[], result: Json): void {
    this.#names.learn(result);
    if (params.some(({ secret }) => secret)) return;
    for (const word of words) if (word.kind === 'bare') this.#names.add(word.text);
  }

  /** Reads a line without echoing or keeping it. A script passes it as its next line. */
  async #askSecret(name: string): Promise<string> {
    this.#print(`${name}: `);
    this.#hidden = true;
    const secret = await this.#next(undefined);
    if (this.#options.isTerminal) this.#options.output.write('\n');
    return secret ?? '';
  }

  /** The next line; undefined at the end of the input. A prompt ends the time in which nothing is echoed. */
  #next(prompt: string | undefined): Promise<string | undefined> {
    const arrived = this.#arrived.shift();
    if (arrived !== undefined) {
      const { line, isEchoed } = arrived;
      if (prompt !== undefined && !isEchoed) this.#echo(prompt, line);
      return Promise.resolve(line);
    }
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      if (prompt === undefined) return;
      this.#hidden = false;
      if (!this.#options.isTerminal) return;
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
    });
  }

  /** Shows a command that has arrived while nothing was echoed. */
  #echo(prompt: string, line: string): void {
    const shown = withoutSecrets(line, this.#session);
    if (shown !== undefined && this.#options.isTerminal) this.#print(`${prompt}${shown}\n`);
  }

  #take(line: string): void {
    const isEchoed = !this.#hidden;
    this.#hidden ||= this.#asksSecret(line);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#arrived.push({ line, isEchoed });
    else waiting(line);
  }

  #end(): void {
    this.#ended = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(undefined);
  }

  #giveUp(): void {
    if (this.#waiting === undefined) return this.#print('\n(still running; Ctrl-D leaves when it is done)\n');
    this.#print('\n');
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#take('');
  }

  /** Keeps a command for the arrow keys and for the next start; its secrets are not kept. */
  #remember(line: string): void {
    const kept = withoutSecrets(line, this.#session);
    if (kept === undefined) return;
    const history = this.#history ?? [];
    const known = history.indexOf(kept);
    if (known >= 0) history.splice(known, 1);
    history.unshift(kept);
    history.splice(MOST_LINES);
    appendHistory(this.#options.historyFile, kept);
  }

  /** True when the line is a command that asks for a secret. */
  #asksSecret(line: string): boolean {
    try {
      const [first, ...words] = redirected(readLine(line.trim())).words;
      const command = first?.kind === 'bare' ? this.#session.named(meant(first.text, words.length)) : undefined;
      return command !== undefined && secretsLeftOut(command, words.length).length > 0;
    } catch (error) {
      // The line is told what is wrong when it is taken up.
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  #print(text: string): void {
    this.#options.output.write(text);
  }

  /** The output for readline, which discards everything while a secret is typed. */
  #maskedOutput(): NodeJS.WritableStream {
    const isHidden = (): boolean => this.#hidden;
    return new Proxy(this.#options.output, {
      get(target, name): unknown {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown =>
          name === 'write' && isHidden() ? true : Reflect.apply(value, target, parameters);
      },
    });
  }
}

/** The lines of a question before its last one, and that. */
function parted(question: string): readonly [string, string] {
  const at = question.lastIndexOf('\n') + 1;
  return [question.slice(0, at), question.slice(at)];
}

/** `… > file` writes the result to a file. */
function redirected(words: readonly Word[]): { words: readonly Word[]; file: string | undefined } {
  const [arrow, file] = words.slice(-2);
  const isRedirected = arrow?.kind === 'bare' && arrow.text === '>' && file !== undefined && file.kind !== 'json';
  return isRedirected ? { words: words.slice(0, -2), file: file.text } : { words, file: undefined };
}

/** The Fault that `run` throws; undefined if there was none. */
function catchFault(run: () => void): Fault | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/**
 * The line as it may be kept in the history: only the name for a command that takes a secret. A line that is no command
 * is not kept: it may be a secret that was typed too early, or the command before it may be mistyped.
 */
export function withoutSecrets(line: string, session: Session): string | undefined {
  const [name = ''] = line.trim().split(/[\s,"'[{]/, 1);
  const command = session.wallet.commands.find((known) => known.name === name);
  if (command === undefined) return undefined;
  return command.params.some(({ secret }) => secret) ? name : line;
}
