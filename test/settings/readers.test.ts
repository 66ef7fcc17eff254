import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isOptionKey, options, optionReader, readers, pickSettings } from '../../src/settings/options.ts';
import { readConfig } from '../../src/settings/read_config.ts';

const src = new URL('../../../src/', import.meta.url);
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(new URL(path, src), 'utf8')]),
);

/** The files that declare settings. */
const DECLARATIONS = new Set(
  ['options', 'limit_options', 'network_options', 'sink_options'].map((name) => `settings/${name}.ts`),
);
/** Those who name settings without being what a node reads them by. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['cli/doctor/', 'explains all settings to the operator'],
  ['settings/named_chain.ts', 'names the key that is wrong'],
  ['settings/node_address.ts', 'commands find the node by its own settings'],
  ['cli/dev.ts', 'has flags of the same names'],
  ['cli/index_chain.ts', 'has flags of the same names'],
  ['cli/stream.ts', 'has flags of the same names'],
  ['cli/snapshot.ts', 'has flags of the same names'],
  ['dev_chain/dev_settings.ts', 'names the flag that was wrong'],
  ['pages/', 'shows them'],
];
/** Keys that are words of other things, too, are looked for where they are read as members only. */
const WORDS: ReadonlySet<string> = new Set(Object.keys(options).filter((key) => !key.includes('-')));

/** True when a source reads the setting: by its quoted key, or as a member when the key is a plain word. */
function reads(text: string, key: string): boolean {
  if (!text.includes(key)) return false;
  const quoted = new RegExp(`(?:\\[|\\{|,|\\(|^)\\s*'${key}'`, 'm').test(text);
  return WORDS.has(key)
    ? new RegExp(`\\bvalues\\.${key}\\b|(?:\\{|,) *${key}\\b[^{}]*\\}: SettingsOf`).test(text)
    : quoted;
}

test('each setting has one reader, or has no effect and says why', () => {
  for (const key of Object.keys(options).filter(isOptionKey)) {
    assert.equal(optionReader(key) === undefined, 'withoutEffect' in options[key], key);
  }
});

test('each reader is there, and has a setting', () => {
  const used = new Set(Object.keys(options).filter(isOptionKey).map(optionReader));
  for (const [reader, path] of Object.entries(readers)) {
    assert.ok(sources.has(path), path);
    assert.ok(
      [...used].some((name) => name === reader),
      `${reader} reads nothing`,
    );
    assert.match(
      sources.get(path) ?? '',
      reader === 'limits' ? /limitOptions/ : new RegExp(`SettingsOf<[^>]*'${reader}'`),
      path,
    );
  }
});

test('a setting is read by its reader and nobody else', () => {
  const wrong: string[] = [];
  for (const key of Object.keys(options).filter(isOptionKey)) {
    const reader = optionReader(key);
    const allowed = reader === undefined ? undefined : readers[reader];
    for (const [path, text] of sources) {
      if (path === allowed || DECLARATIONS.has(path) || OTHERS.some(([other]) => path.startsWith(other))) continue;
      if (reads(text, key)) wrong.push(`${path} reads ${key}, whose reader is ${allowed ?? 'nobody'}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('each reader reads its settings', () => {
  for (const key of Object.keys(options).filter(isOptionKey)) {
    const reader = optionReader(key);
    // The limits are walked by their register.
    if (reader === undefined || reader === 'limits') continue;
    assert.ok(readsSomehow(sources.get(readers[reader]) ?? '', key), `${readers[reader]} does not read ${key}`);
  }
});

function readsSomehow(text: string, key: string): boolean {
  return text.includes(`'${key}'`) || new RegExp(`\\.${key}\\b|\\b${key}: |\\b${key} = `).test(text);
}

test('those who may name settings beside their readers do so', () => {
  const keys = Object.keys(options);
  for (const [other] of OTHERS) {
    const texts = [...sources].filter(([path]) => path.startsWith(other)).map(([, text]) => text);
    assert.ok(
      texts.some((text) => keys.some((key) => text.includes(key))),
      other,
    );
  }
});

test('the settings of a reader hold its own alone, and so no secret of another', () => {
  const flags = { 'private-key': ['5Kwif'], 'sink-nats': ['nats://user:secret@host:4222'], explorer: 'off' };
  const { values } = readConfig({ iniFile: undefined, environment: {}, flags });
  for (const reader of ['front', 'standby'] as const) {
    const own = Object.keys(pickSettings(reader, values));
    assert.deepEqual(
      own,
      Object.keys(options).filter((key) => isOptionKey(key) && optionReader(key) === reader),
    );
    assert.ok(own.length > 1);
  }
  assert.equal(pickSettings('front', values).explorer, 'off');
});
