import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isOptionKey } from '../../src/settings/options.ts';

const folder = new URL('../../../src/pages/guides/', import.meta.url);

/** Lines of settings files, by guide; blocks with sections are systemd's. */
const shown = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/^```ini\n([^]*?)^```$/gm)]
      .map(([, content = '']) => content)
      // Units have sections, settings have none.
      .filter((content) => !/^\[\w+\]$/m.test(content))
      .flatMap((content) => content.trim().split('\n'))
      .map((line) => ({ name, line })),
  );

test('every line of a settings file that a guide shows sets a setting', () => {
  assert.ok(shown.length > 30);
  for (const { name, line } of shown) {
    const [, key = ''] = /^([a-z0-9-]+) = \S/.exec(line) ?? assert.fail(`${name}: ${line}`);
    assert.ok(isOptionKey(key), `${name}: ${line}`);
  }
});
