import { neutralEncoding, type EncodingOptions } from '../codec/encoding_options.ts';
import { versionText } from '../values/version.ts';
import type { DescribedCommand, Param } from './described_command.ts';
import { topics, type Topic } from './topics.ts';

/** One line of `help`: the command and its parameters. */
export function signatureLine({ name, params }: DescribedCommand): string {
  return `${name}(${params.map((param) => (param.initial === undefined ? param.name : `${param.name} = ${JSON.stringify(param.initial)}`)).join(', ')})`;
}

/** The command that was meant: `help` with a word behind it is `gethelp`. */
export function meant(name: string, words: number): string {
  return name === 'help' && words === 1 ? 'gethelp' : name;
}

/** The lines of `help` by topic, for people; `lines` are the signatures. */
export function helpByTopic(lines: readonly string[]): string {
  const lineOf = new Map(lines.map((line) => [line.split('(', 1)[0], line]));
  const parts = topics.map(({ name, doc, commands }) => {
    const own = commands.flatMap((command) => lineOf.get(command) ?? []);
    return `${name}: ${doc}\n${own.map((line) => `    ${line}\n`).join('')}\n`;
  });
  return `${parts.join('')}help TOPIC or help COMMAND explains.\n`;
}

/** Returns the `gethelp` of a topic: a line for each of its commands. */
export function helpOfTopic({ name, doc, commands: names }: Topic, commands: readonly DescribedCommand[]): string {
  const lines = names.flatMap((each) => commands.find((command) => command.name === each) ?? []);
  return [
    '',
    `${name}: ${doc}`,
    ...lines.flatMap((command) => ['', signatureLine(command), `    ${command.doc}`]),
    '',
  ].join('\n');
}

const NO_SYMBOLS: EncodingOptions = { ...neutralEncoding, coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR' };

/** Returns the `gethelp` of a command. */
export function commandHelp(command: DescribedCommand): string {
  const { doc, params, example, needsKeys, makes } = command;
  const list =
    params.length === 0 ? [] : ['', 'Parameters:', ...params.map((param) => `    ${param.name}: ${typeText(param)}`)];
  const state = needsKeys ? ['', 'The wallet must be unlocked.'] : [];
  const since =
    makes?.since === undefined
      ? []
      : ['', `The chain takes it from hardfork ${makes.since.id} (version ${versionText(makes.since.version)}) on.`];
  return ['', signatureLine(command), '', doc, ...since, ...list, ...state, '', 'Example:', `    ${example}`, ''].join(
    '\n',
  );
}

function typeText({ codec, secret, initial }: Param): string {
  const { type, enum: words, description } = codec.describe(NO_SYMBOLS);
  const kind = Array.isArray(words)
    ? words.join(' or ')
    : Array.isArray(type)
      ? type.join(' or ')
      : typeof type === 'string'
        ? type
        : 'JSON';
  const notes = [
    typeof description === 'string' ? description : undefined,
    secret ? 'asked for with hidden input when left out' : undefined,
    initial === undefined ? undefined : `${JSON.stringify(initial)} when left out`,
  ];
  return [kind, ...notes.filter((note) => note !== undefined)].join('; ');
}
