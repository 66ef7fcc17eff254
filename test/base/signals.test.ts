import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { programFiles } from '../../src/base/program_files.ts';
import { signalAnswers } from '../../src/base/signals.ts';
import { options } from '../../src/settings/options.ts';

const sources = fileURLToPath(new URL('../../../src/', import.meta.url));
const texts = new Map<string, string>(
  readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'base/signals.ts')
    .map((name) => [name, readFileSync(`${sources}${name}`, 'utf8')]),
);

test('the page of signals names every file that handles one, with its signals', () => {
  const handled = [...texts].flatMap(([name, text]): [string, string[]][] =>
    /\.(?:on|once)\((?:signal\b|'SIG)/.test(text)
      ? [[name, [...new Set(text.match(/(?<=')SIG[A-Z0-9]+(?=')/g))].toSorted()]]
      : [],
  );
  const declared = signalAnswers.flatMap(({ file, signals }): [string, string[]][] =>
    file === undefined ? [] : [[file, signals.toSorted()]],
  );
  assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(handled));
});

test('settings and flags that the page of files names exist', () => {
  const all = [...texts.values()].join('\n');
  for (const { place, lost } of Object.values(programFiles))
    for (const [, words = ''] of `${place} ${lost}`.matchAll(/`([^`]*)`/g)) {
      for (const flag of words.match(/--[a-z-]+/g) ?? []) assert.match(all, new RegExp(`['\`, ]${flag}\\b`), flag);
      if (/^[a-z]+(?:-[a-z0-9]+)+$/.test(words)) assert.ok(words in options, words);
    }
});
