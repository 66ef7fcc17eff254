import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { options } from '../../src/settings/options.ts';
import { readConfig, type Config } from '../../src/settings/read_config.ts';
import { settingsFile } from '../../src/settings/settings_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-settings-'));

after(() => rmSync(folder, { recursive: true, force: true }));

function parseConfig(text: string): Config {
  const iniFile = join(folder, 'pharos.ini');
  writeFileSync(iniFile, text);
  return readConfig({ iniFile, environment: {}, flags: {} });
}

const defaults = readConfig({ iniFile: undefined, environment: {}, flags: {} });

test('the settings file of scripts/operate is the one that the program prints: npm run operate writes it', () => {
  const path = fileURLToPath(new URL('../../../scripts/operate/pharos.ini', import.meta.url));
  assert.ok(readFileSync(path, 'utf8') === settingsFile(), 'npm run operate');
});

test('the settings file has every key once, and sets nothing as it stands', () => {
  const keys = [...settingsFile().matchAll(/^# ([a-z0-9-]+) =/gm)].map(([, key = '']) => key);
  assert.deepEqual(keys.toSorted(), Object.keys(options).toSorted());
  assert.deepEqual(parseConfig(settingsFile()), defaults);
});

test('with each # taken away before its keys it says what holds anyway', () => {
  const all = settingsFile().replaceAll(/^# (?=[a-z0-9-]+ =)/gm, '');
  const { values, notices } = parseConfig(all);
  assert.deepEqual(values, { ...defaults.values, ...listEmpty(values, defaults.values) });
  assert.ok(
    notices.length > 5 && notices.every((notice) => notice.includes('has no effect')),
    'keys of the lineage are named',
  );
});

/** A list that is said to be empty is as good as none. */
function listEmpty(values: Config['values'], usual: Config['values']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => Array.isArray(value) && value.length === 0 && isNone(usual, key)),
  );
}

function isNone(usual: Readonly<Record<string, unknown>>, key: string): boolean {
  return usual[key] === undefined || (Array.isArray(usual[key]) && usual[key].length === 0);
}

test('no line is longer than a screen is wide, but for those with a default', () => {
  for (const line of settingsFile().split('\n')) assert.ok(line.length <= 125, line);
});

test('a choice names its words in the order that it takes them, and begins with one of them', () => {
  const choices = Object.entries(options).flatMap(([key, option]) =>
    option.kind === 'choice' ? [{ key, option }] : [],
  );
  assert.ok(choices.length > 4);
  for (const { key, option } of choices) {
    const words: readonly string[] = option.words;
    const spoken = `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
    assert.ok(option.doc.startsWith(`${spoken}: `), `${key}: ${spoken}`);
    assert.ok(words.includes(option.initial), key);
    const read = (text: string): Config => readConfig({ iniFile: undefined, environment: {}, flags: { [key]: text } });
    for (const word of words) assert.equal(Reflect.get(read(word).values, key), word);
    assert.throws(() => read('perhaps'), { message: `${key}: ${spoken} expected, got "perhaps"` });
  }
});
