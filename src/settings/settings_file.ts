import { assert } from '../base/assert.ts';
import { limitOptions } from './limit_options.ts';
import { networkOptions } from './network_options.ts';
import { isOptionKey, options, type Option } from './options.ts';
import { sinkOptions } from './sink_options.ts';

const HEAD = `Settings of a Pharos node, for \`pharos run --config FILE\`. Each key is here, with its default or with nothing behind it where there is none: \
take away the # before those that you change. A repeatable key may have a line for each value. The same keys can be given in the \
environment (PHAROS_DATA_DIR) and as flags (--data-dir), which win over this file. Relative paths begin where the node is started. \
\`pharos settings\` writes this text.`;

const SPOKEN: Readonly<Record<Option['kind'], string>> = {
  text: '',
  texts: 'repeatable: ',
  flag: 'true or false: ',
  count: 'a whole number: ',
  endpoint: '',
  endpoint_or_unix: '',
  choice: '',
};

const WIDTH = 118;

/**
 * A settings file with every key, each behind a # with its default, and what it is for: it sets nothing until somebody
 * changes it.
 */
export function settingsFile(): string {
  const keysOf = new Map<string, string[]>();
  for (const key of Object.keys(options))
    keysOf.set(sectionTitle(key), [...(keysOf.get(sectionTitle(key)) ?? []), key]);
  const parts = [...keysOf].map(([title, keys]) => [`## ${title}\n`, ...keys.map(optionEntry)].join('\n'));
  return [commentText(HEAD), ...parts].join('\n');
}

function sectionTitle(key: string): string {
  if (findOption(key).withoutEffect !== undefined) return 'Keys of the lineage that are taken and have no effect here';
  if (Object.hasOwn(networkOptions, key)) return 'Peers';
  if (Object.hasOwn(sinkOptions, key)) return 'The event stream';
  return Object.hasOwn(limitOptions, key) ? 'Limits of what one client, or all together, may ask for' : 'The node';
}

function findOption(key: string): Option {
  assert(isOptionKey(key), `${key} is a setting`);
  return options[key];
}

function optionEntry(key: string): string {
  const { kind, doc, initial = '', withoutEffect } = findOption(key);
  const said =
    withoutEffect === undefined
      ? `${doc.includes('repeatable') ? '' : SPOKEN[kind]}${doc}`
      : `${doc}: ${withoutEffect}`;
  return `${commentText(said)}# ${key} =${initial === '' ? '' : ` ${initial}`}\n`;
}

/** As lines that begin with #, broken between words. */
function commentText(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `## ${line}\n`).join('');
}
