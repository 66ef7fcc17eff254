import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { debugApi } from '../../src/rpc/debug_api/index.ts';
import { DevChain } from '../../src/dev_chain/dev_chain.ts';

// What the guides to development chains show is typed by test/outside/developer.test.ts; they leave nothing out.

const page = ['development_chains', 'test_chain']
  .map((name) => readFileSync(`src/pages/guides/${name}.md`, 'utf8'))
  .join('\n');

test('every method of debug_api stands in the guides, and the params there are its own', () => {
  for (const { name, paramNames } of debugApi) {
    const short = name.replace('debug_api.', '');
    assert.match(page, new RegExp(`\\b${short}\\b`), `${name} is missing`);
    for (const [, json = ''] of page.matchAll(new RegExp(`\`${short} (\\{.+?\\})\``, 'g')))
      for (const member of Object.keys(Object(JSON.parse(json))))
        assert.ok(paramNames.includes(member), `${name} takes no ${member}`);
  }
});

test('every method of a chain in a test stands in the guides', () => {
  const names = Object.getOwnPropertyNames(DevChain.prototype).filter((name) => name !== 'constructor');
  assert.deepEqual(
    names.filter((name) => !new RegExp(`\\b${name}\\b`).test(page)),
    [],
  );
});
