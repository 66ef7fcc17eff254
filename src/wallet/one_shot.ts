import { exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { NEW_SECRET, typedArguments, withSecrets, type AskSecret, type TypedArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { meant } from './help_text.ts';
import { replaceFile, requireReplaceable } from './key_file/replace_file.ts';
import { prettyJson } from './pretty_json.ts';
import { Progress, type ProgressLine } from './progress.ts';
import type { Word } from './read_line.ts';
import type { Person } from './person.ts';
import { describeOutcome } from './outcome.ts';
import type { Session } from './session.ts';
import { escapeControls, type Terminal } from './show/terminal.ts';

/** One command, and where its result goes. */
export interface OneShot {
  readonly session: Session;
  readonly words: readonly string[];
  /** Print JSON instead of readable text. */
  readonly json: boolean;
  /** A file for the result as JSON; '' for none. */
  readonly out: string;
  readonly terminal: Terminal;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly progress: ProgressLine | undefined;
  /** The wallet's password, old or new, from any source. */
  readonly askPassword: AskSecret;
  /** The password, if it is available without prompting. */
  readonly passwordAtHand: () => string | undefined;
  readonly askSecret: AskSecret;
  /** Asks a question that is answered by yes or no; missing without a terminal. */
  readonly confirm?: Person['confirm'];
}

const PASSWORDS: ReadonlySet<string> = new Set(['password', NEW_SECRET]);

const refuse = refusals({ no_password: 'no password was given; the wallet stays locked' });

/** Runs one command and prints its result. Returns the exit code; throws what the command throws. */
export async function runOnce(shot: OneShot): Promise<number> {
  const { session, words, terminal } = shot;
  const [name = '', ...rest] = words;
  const command = session.named(meant(name, rest.length));
  const typed = rest.map((text): Word => ({ kind: 'bare', text }));
  const known = typedArguments(command, typed);
  command.check(known);
  if (shot.out !== '') requireReplaceable(shot.out);
  warnOfTypedSecrets(command, known, shot);
  const { keys, clock } = session.wallet;
  await unlockIfNeeded(command, shot);
  if (command.needsKeys) keys.requireUnlocked();
  const args = await withSecrets(command, known, (param) =>
    PASSWORDS.has(param) ? shot.askPassword(param) : shot.askSecret(param),
  );
  const progress = new Progress(name, shot.progress, clock);
  const result = await progress.during(async () => await session.run(command, args, choosePerson(shot, progress)));
  if (keys.isLineageFile && command.needsKeys)
    shot.warn('this wallet file has the weak encryption of the lineage; convert_wallet_file writes it anew');
  shot.print(
    shot.json || command.show === undefined
      ? `${humanJson(result, terminal)}\n`
      : withNewline(command.show(result, terminal)),
  );
  const outcome = describeOutcome(command, args, result);
  // With --json programs read the outcome from the result.
  if (outcome !== undefined && (outcome.hasFailed || !shot.json)) shot.warn(outcome.text);
  // Last, because the transaction is sent: a full disk must not hide what has become of it.
  deliver(shot, result);
  return outcome?.hasFailed === true ? exitCodes.refused : 0;
}

/** Others of this machine may read the words of a command line. The values themselves are not repeated. */
function warnOfTypedSecrets({ name, params }: Command, known: TypedArguments, { warn }: OneShot): void {
  const names = params
    .filter(({ secret }, position) => secret && known[position] !== undefined)
    .map((param) => param.name);
  if (names.length > 0)
    warn(
      `${name}: ${names.join(' and ')} on the command line stays in the shell's history and was in the list of processes; remove it there, and leave it out next time: the wallet asks for it`,
    );
}

/** With --json a program reads the result, and nobody anything else. */
function choosePerson({ json, warn, confirm }: OneShot, progress: Progress): Person | undefined {
  if (json && confirm === undefined) return undefined;
  const tell = (text: string): void => {
    progress.clear();
    warn(escapeControls(text));
  };
  if (confirm === undefined) return { tell };
  const ask = async (question: string): Promise<boolean> =>
    await progress.asking(async () => await confirm(escapeControls(question)));
  return { tell: json ? () => undefined : tell, confirm: ask };
}

/**
 * Prompts for the password if the command needs it; if it is only useful, takes it without prompting when available.
 */
async function unlockIfNeeded(
  { needsKeys, gainsByKeys }: Command,
  { session, askPassword, passwordAtHand }: OneShot,
): Promise<void> {
  const { keys } = session.wallet;
  if (keys.state !== 'locked') return;
  const atHand = gainsByKeys ? passwordAtHand() : undefined;
  if (atHand !== undefined) return await keys.unlock(atHand);
  if (!needsKeys) return;
  const password = await askPassword('password');
  await keys.unlock(password === '' ? refuse.no_password() : password);
}

function deliver({ out }: OneShot, result: Json): void {
  if (out === '') return;
  if (result === null) throw new Fault('configuration', '--out: the command has no result');
  replaceFile(out, `${prettyJson(result)}\n`);
}

/** JSON, unchanged for programs; for a terminal, without control characters. */
function humanJson(result: Json, { columns }: Terminal): string {
  const text = prettyJson(result);
  return columns > 0 ? escapeControls(text) : text;
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
