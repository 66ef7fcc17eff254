import { readFileSync } from 'node:fs';
import { parse } from 'ini';
import { Fault } from '../base/fault.ts';
import { nearest } from '../base/nearest.ts';
import { quoted } from '../base/refusal.ts';
import { PASSWORD_VARIABLE } from '../wallet/password_at_hand.ts';
import { whyItFailed } from '../system/system_error.ts';
import {
  isOptionKey,
  options,
  type Endpoint,
  type Option,
  type OptionKey,
  type OptionKind,
  type OptionValues,
  type SettingsOf,
} from './options.ts';

/** The sources of settings, in ascending precedence. */
export interface ConfigSources {
  readonly iniFile: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values of flags by key: strings, lists of strings, or true for a flag without a value. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** The settings, and what the operator should know about them. */
export interface Config {
  readonly values: OptionValues;
  /** Keys that were given but have no effect here, each with its reason. */
  readonly notices: readonly string[];
}

/** The values of a key, and where they stand, for errors; '' where that is not known. */
interface Given {
  readonly texts: readonly string[];
  readonly place: string;
}

type Texts = Map<OptionKey, Given>;

const ENVIRONMENT_PREFIX = 'PHAROS_';
const SECTION = /^\s*\[[^\]]*\]\s*$/;

/**
 * Reads all settings: the INI file, then the environment, then flags, each overriding the one before. Fault
 * `configuration`.
 */
export function readConfig(sources: ConfigSources): Config {
  const texts: Texts = new Map();
  if (sources.iniFile !== undefined) mergeFile(texts, sources.iniFile);
  merge(texts, environmentTexts(sources.environment), 'the environment');
  merge(texts, flagTexts(sources.flags), 'the command line');
  const keys = Object.keys(options).filter(isOptionKey);
  const notices = keys.flatMap((key) => optionNotice(key, texts));
  return { values: parseValues(keys, texts), notices };
}

/** The settings of a node whose operator says nothing. */
export function usualSettings(): SettingsOf<'front'> {
  return readConfig({ iniFile: undefined, environment: {}, flags: {} }).values;
}

function merge(
  into: Texts,
  from: ReadonlyMap<string, readonly string[]>,
  source: string,
  lineOf?: (key: string) => string,
): void {
  for (const [key, texts] of from) {
    const place = lineOf === undefined ? '' : `${source}${lineOf(key)}`;
    if (!isOptionKey(key)) throw unknownKey(key, place === '' ? source : place);
    into.set(key, { texts, place });
  }
}

function unknownKey(key: string, source: string): Fault {
  return new Fault(
    'configuration',
    `unknown key ${quoted(key)} in ${source}; the nearest known key is "${nearest(key, Object.keys(options))}"`,
  );
}

function mergeFile(into: Texts, file: string): void {
  const text = fileText(file);
  refuseSections(text, file);
  merge(into, iniTexts(text), file, (key) => {
    const at = text.split('\n').findLastIndex((line) => line.trimStart().startsWith(key));
    return at < 0 ? '' : `, line ${at + 1}`;
  });
}

/** The INI library makes an object of a section, which is the value of no setting. */
function refuseSections(text: string, file: string): void {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => SECTION.test(line));
  if (at < 0) return;
  throw new Fault(
    'configuration',
    `${file}, line ${at + 1}: ${quoted((lines[at] ?? '').trim())} begins a section, and settings have none; remove the line`,
  );
}

function fileText(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('configuration', `cannot read the configuration file ${file}: ${whyItFailed(error)}`, error);
  }
  const strange = text.search(/[\0\uFFFD]/);
  if (strange < 0) return text;
  const line = text.slice(0, strange).split('\n').length;
  throw new Fault(
    'configuration',
    `${file}, line ${line}: bytes that are no text; write the line anew, or begin with pharos settings > ${file}`,
  );
}

function iniTexts(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(parse(repeatable(text))).map(([key, value]) => [key, toTexts(value)]));
}

/** The lineage's files repeat a key for each value, which the INI library expects to be written as `key[]`. */
function repeatable(text: string): string {
  return text.replace(/^[ \t]*([a-z0-9-]+)[ \t]*=/gm, '$1[] =');
}

function toTexts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((item) => String(item));
}

function environmentTexts(environment: ConfigSources['environment']): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(environment)) {
    // Whoever has a wallet on this machine may have its password in the environment of everything.
    if (!name.startsWith(ENVIRONMENT_PREFIX) || name === PASSWORD_VARIABLE || value === undefined) continue;
    texts.set(name.slice(ENVIRONMENT_PREFIX.length).toLowerCase().replaceAll('_', '-'), [value]);
  }
  return texts;
}

function flagTexts(flags: ConfigSources['flags']): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(flags).map(([key, value]) => [key, toTexts(value)]));
}

function optionNotice(key: OptionKey, texts: Texts): string[] {
  const option = options[key];
  return texts.has(key) && 'withoutEffect' in option ? [`${key} has no effect: ${option.withoutEffect}`] : [];
}

function parseValues(keys: readonly OptionKey[], texts: Texts): OptionValues;
function parseValues(keys: readonly OptionKey[], texts: Texts): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    keys.map((key) => [key, placedValue(key, texts.get(key) ?? { texts: initialTexts(key), place: '' })]),
  );
}

function placedValue(key: OptionKey, { texts, place }: Given): unknown {
  try {
    return parseValue(key, texts);
  } catch (error) {
    if (!(error instanceof Fault) || place === '') throw error;
    throw new Fault('configuration', `${error.message} (${place})`, error);
  }
}

function initialTexts(key: OptionKey): readonly string[] {
  const option = options[key];
  return 'initial' in option ? [option.initial] : [];
}

function parseValue(key: OptionKey, texts: readonly string[]): unknown {
  const kind: OptionKind = options[key].kind;
  if (kind === 'texts')
    return texts
      .flatMap((text) => text.split(/[\s,]+(?![^[]*\])/))
      .map(unquoted)
      .filter((text) => text !== '');
  const text = texts.at(-1);
  if (text === undefined || text === '') return undefined;
  if (kind === 'flag') return parseFlag(key, text);
  if (kind === 'choice') return parseChoice(key, text);
  if (kind === 'count') return parseCount(key, text);
  if (kind === 'endpoint_or_unix') return text === 'unix' ? text : parseEndpointText(key, text, 'host:port or unix');
  return kind === 'endpoint' ? parseEndpointText(key, text) : text;
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, '$1');
}

function parseFlag(key: OptionKey, text: string): boolean {
  if (['true', 'yes', '1', 'on'].includes(text)) return true;
  if (['false', 'no', '0', 'off'].includes(text)) return false;
  throw new Fault('configuration', `${key}: true or false expected, got "${text}"`);
}

function parseChoice(key: OptionKey, text: string): string {
  const { words = [] }: Option = options[key];
  if (words.includes(text)) return text;
  throw new Fault(
    'configuration',
    `${key}: ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''} expected, got "${text}"`,
  );
}

function parseCount(key: OptionKey, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Fault('configuration', `${key}: a whole number expected, got "${text}"`);
}

function parseEndpointText(key: OptionKey, text: string, expected = 'host:port'): Endpoint {
  const endpoint = parseListening(text);
  if (endpoint === undefined) throw new Fault('configuration', `${key}: ${expected} expected, got "${text}"`);
  return endpoint;
}

/** An address to listen on, port 0 for a free one; undefined for any other text. */
export function parseListening(text: string): Endpoint | undefined {
  const match = /^(\[[0-9a-f:]+\]|[^:\s]+):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[2]);
  return match === null || port > 65_535 ? undefined : { host: (match[1] ?? '').replace(/^\[(.*)\]$/, '$1'), port };
}
