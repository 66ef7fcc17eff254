import { DeclaredAnswers } from '../builders/declared_answers.ts';

/** Flags that change neither methods nor words: where data lies, where the program listens, which chain it is, who makes the blocks. */
const SILENT = new Set([
  ...['--data-dir', '--port', '--fresh', '--block-interval-ms', '--metrics-port', '--metrics-endpoint', '--blocks-kept', '--accept-head'],
  ...['--genesis-json', '--webserver-http-endpoint', '--initminer-mining-pubkey', '--initial-signing-key'],
  ...['--witness', '--private-key', '--private-key-file', '--enable-stale-production', '--required-participation', '--signing-journal'],
  '--accept-low-participation',
]);

/** Flags of which only that they are there counts. */
const PRESENT = new Set(['--p2p-endpoint', '--p2p-seed-node', '--join']);

const documents = new Map<string, DeclaredAnswers>();
const declarations = new Map<string, DeclaredAnswers>();

/**
 * What a program declares that was started like this. Those that are started alike declare alike, so one of them is asked: the document is
 * made when it is asked for, which takes a node as long as its start.
 */
export async function declaredBy(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  document: () => Promise<string>,
): Promise<DeclaredAnswers> {
  // A file of settings may say anything, and something else the next time.
  if (args.includes('--config')) return compiled(await document());
  const kind = kindOf(args, environment);
  const known = declarations.get(kind);
  if (known !== undefined) return known;
  const declared = compiled(await document());
  declarations.set(kind, declared);
  return declared;
}

/** The flags that may matter: all that are not known to be silent. */
function kindOf(args: readonly string[], environment: Readonly<Record<string, string>>): string {
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
function compiled(document: string): DeclaredAnswers {
  const known = documents.get(document) ?? new DeclaredAnswers(JSON.parse(document));
  documents.set(document, known);
  return known;
}
