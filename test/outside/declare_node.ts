import { DeclaredAnswers, type AnswerParts } from '../builders/declared_answers.ts';
import { DeclaredCalls } from '../builders/declared_calls.ts';

/** A program's declarations of its methods. */
export class Declared {
  readonly #answers: DeclaredAnswers;
  readonly #calls: DeclaredCalls;

  constructor(document: ConstructorParameters<typeof DeclaredCalls>[0]) {
    this.#answers = new DeclaredAnswers(document);
    this.#calls = new DeclaredCalls(document);
  }

  /** Fails when a call was taken that is not as declared, or an answer is not. */
  check(method: string, params: unknown, answer: AnswerParts): void {
    this.#calls.check(method, params, answer);
    this.#answers.check(method, answer);
  }
}

/**
 * Flags that change neither methods nor words: where data lies, where and to whom the program listens, which chain it
 * is, who makes the blocks and when, what is printed.
 */
const SILENT = new Set([
  ...['--data-dir', '--fresh', '--blocks-kept', '--undo-blocks', '--accept-head', '--checkpoint'],
  ...['--snapshot-own', '--snapshot-signed-by', '--log-level', '--silent', '--list-accounts'],
  ...['--port', '--metrics-port', '--metrics-endpoint', '--webserver-http-endpoint', '--webserver-unix-endpoint'],
  ...['--admin-endpoint', '--webserver-http-server', '--webserver-uws-module', '--trusted-proxy', '--http-cors'],
  ...['--allowed-host', '--private-key-methods', '--head-header'],
  ...['--genesis-json', '--initminer-mining-pubkey', '--initial-signing-key', '--accounts', '--seed'],
  ...['--witness', '--private-key', '--private-key-file', '--signer-socket', '--signing-journal'],
  ...['--enable-stale-production', '--required-participation', '--accept-low-participation'],
  ...['--block-interval-ms', '--no-mining', '--automine'],
]);

/** Flags of which only that they are there counts. */
const PRESENT = new Set(['--p2p-endpoint', '--p2p-seed-node', '--join']);

const documents = new Map<string, Declared>();
const declarations = new Map<string, Declared>();

/**
 * Asks a program for its declarations. Those that are started alike declare alike, so one of them is asked: the
 * document is made when it is asked for, which takes a node as long as its start.
 */
export async function declareNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  document: () => Promise<string>,
): Promise<Declared> {
  // A file of settings may say anything, and something else the next time.
  if (args.includes('--config')) return compiled(await document());
  const kind = nodeKind(args, environment);
  const known = declarations.get(kind);
  if (known !== undefined) return known;
  const declared = compiled(await document());
  declarations.set(kind, declared);
  return declared;
}

/** The flags that may matter: all that are not known to be silent. */
function nodeKind(args: readonly string[], environment: Readonly<Record<string, string>>): string {
  const telling: string[] = [];
  let before = '';
  for (const arg of args) {
    const isFlag = arg.startsWith('--');
    if (isFlag ? !SILENT.has(arg) : !SILENT.has(before) && !PRESENT.has(before)) telling.push(arg);
    before = isFlag ? arg : '';
  }
  return JSON.stringify([telling, environment]);
}

/** Compiling takes a while, too. */
function compiled(document: string): Declared {
  const known = documents.get(document) ?? new Declared(JSON.parse(document));
  documents.set(document, known);
  return known;
}
