import { readFileSync } from 'node:fs';
import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';
import { Refusal, refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import { inMember, mismatch } from '../codec/decode_error.ts';
import { neutralEncoding } from '../codec/encoding_options.ts';
import type { DescribedCommand, Param } from './described_command.ts';
import { signatureLine } from './help_text.ts';
import { readBrackets, type Word } from './read_line.ts';

const refuse = refusals({
  texts_differ: 'the two texts differ; nothing was changed',
  too_few_words: 'too few arguments: {usage}',
  too_many_words: 'too many arguments: {usage}; a text with blanks stands in quotes',
});

/** Reads a secret with hidden input; `name` is that of the parameter. */
export type AskSecret = (name: string) => Promise<string>;

/** The parameter for a new secret: typed without echo, it must be typed twice. */
export const NEW_SECRET = 'new_password';

/** Reads a new secret, which must be typed twice. */
export async function askTwice(ask: AskSecret): Promise<string> {
  const first = await ask(NEW_SECRET);
  return first === (await ask(`${NEW_SECRET} again`)) ? first : refuse.texts_differ();
}

/** The arguments of a command as far as they were typed; undefined for a secret that is asked for. */
export type TypedArguments = readonly (Json | undefined)[];

/**
 * The arguments of a command from the typed words; `@file` in place of brackets reads the JSON in that file. Secrets
 * that were left out are asked for by `withSecrets`.
 */
export function typedArguments(command: DescribedCommand, words: readonly Word[]): TypedArguments {
  const { params } = command;
  const usage = signatureLine(command);
  if (words.length > params.length) refuse.too_many_words({ usage });
  const asked = new Set(secretsLeftOut(command, words.length));
  const rest = [...words];
  return params.map((param) => {
    if (asked.has(param)) return undefined;
    const word = rest.shift();
    const json = word === undefined ? param.initial : inMember(param.name, () => parseArgument(word, param));
    return json ?? refuse.too_few_words({ usage });
  });
}

/**
 * The secrets that are asked for behind so many words. Any secret may be left out: when words are missing, the given
 * ones go to the other parameters first.
 */
export function secretsLeftOut({ params }: DescribedCommand, words: number): readonly Param[] {
  return params.filter(({ secret }) => secret).slice(0, Math.max(0, params.length - words));
}

/** All arguments of a command: asks for the secrets that were not typed. */
export async function withSecrets(
  { params }: DescribedCommand,
  typed: TypedArguments,
  askSecret: AskSecret,
): Promise<Json[]> {
  const args: Json[] = [];
  for (const [position, { name }] of params.entries()) args.push(typed[position] ?? (await askSecret(name)));
  return args;
}

/** Texts and numbers go to the codec as typed; arrays and objects are parsed here. */
function parseArgument(word: Word, { codec }: Param): Json {
  if (word.kind === 'json') return word.json;
  const { type } = codec.describe(neutralEncoding);
  if (type !== 'array' && type !== 'object') return word.text;
  if (word.text.startsWith('@')) return jsonOfFile(word.text.slice(1));
  const brackets = readBrackets(word.text);
  if (brackets !== undefined) return brackets;
  if (type === 'array') return word.text === '' ? [] : word.text.split(',').map((each) => each.trim());
  return mismatch('an object in braces or @file', word.text);
}

function jsonOfFile(path: string): Json {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new Fault('configuration', `cannot read ${path}: ${errorMessage(cause)}`, cause);
  }
  try {
    return readJson(bytes);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw new Fault(
      'configuration',
      `${path} is no JSON: ${cause.message}; put it back from a copy, or write it anew`,
      cause,
    );
  }
}
