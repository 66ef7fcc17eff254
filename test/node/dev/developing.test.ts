import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { debugApi } from '../../../src/rpc/debug_api/index.ts';
import { ownEnvironment } from '../../builders/own_environment.ts';

const page = readFileSync('DEVELOPING.md', 'utf8');
const program = new URL('../../../src/node/dev/dev_chain.js', import.meta.url).href;

test('the test on the page passes as it stands there', () => {
  const source = /```js\n([^`]+)```/.exec(page)?.[1] ?? assert.fail('the page shows no test');
  const folder = mkdtempSync(join(tmpdir(), 'pharos-developing-'));
  try {
    writeFileSync(join(folder, 'page.test.mjs'), source.replace("'pharos/dev'", JSON.stringify(program)));
    const options = { cwd: folder, encoding: 'utf8', timeout: 300_000, env: ownEnvironment } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['page.test.mjs'], options);
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    assert.match(stdout, /# pass 1|pass 1/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('every method of debug_api stands on the page, and its params on the command lines are its own', () => {
  for (const { name, paramNames } of debugApi) {
    const short = name.replace('debug_api.', '');
    assert.match(page, new RegExp(`\\b${short}\\b`), `${name} is missing`);
    for (const [, json = ''] of page.matchAll(new RegExp(`debug_api\\.${short} '(.+)'`, 'g')))
      for (const member of Object.keys(Object(JSON.parse(json)))) assert.ok(paramNames.includes(member), `${name} takes no ${member}`);
  }
});
