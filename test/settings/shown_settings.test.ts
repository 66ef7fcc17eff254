import assert from 'node:assert/strict';
import { test } from 'node:test';
import { options, type Option } from '../../src/settings/options.ts';
import { readConfig } from '../../src/settings/read_config.ts';
import { shownSettings } from '../../src/settings/shown_settings.ts';

const SECRET = 's3cr@t';

test('shown settings have no secret, wherever a setting takes one, and all that is none', () => {
  const given: Readonly<Record<string, string>> = { whole: SECRET, login: `nats://user:${SECRET}@10.0.0.1:4222` };
  const all: [string, Option][] = Object.entries(options);
  const flags = Object.fromEntries(
    all.flatMap(([key, { secret }]) => (secret === undefined ? [] : [[key, given[secret]]])),
  );
  assert.ok(Object.keys(flags).length > 2);
  const shown = shownSettings(readConfig({ iniFile: undefined, environment: {}, flags }).values);
  assert.ok(!JSON.stringify(shown).includes(SECRET));
  for (const key of Object.keys(flags)) assert.match(JSON.stringify(shown[key]), /\(hidden\)/, key);
  assert.match(JSON.stringify(shown['sink-nats']), /@10\.0\.0\.1:4222/);
  assert.equal(shown['data-dir'], 'data/node');
});

test('a setting whose description speaks of a secret of its own is declared as one, or names a file of it', () => {
  for (const [key, { doc, secret }] of Object.entries<Option>(options))
    if (/\bWIF\b|password@|\btoken\b|\bseed of\b|private key\b/i.test(doc) && secret === undefined)
      assert.match(doc, /file|methods that take a private key|contains a private key/, key);
});
