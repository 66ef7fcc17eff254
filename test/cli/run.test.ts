import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../src/cli/run.ts';
import { options, type Option } from '../../src/settings/options.ts';

test('the help of run shows what each setting is when nobody sets it', () => {
  const lines = runCommand().configureHelp({ helpWidth: 1000 }).helpInformation().split('\n');
  const settings: readonly (readonly [string, Option])[] = Object.entries(options);
  for (const [key, { initial, withoutEffect }] of settings) {
    const line = lines.find((text) => text.trim().startsWith(`--${key} `));
    if (withoutEffect === undefined)
      assert.equal(/ \(default: (.*)\)$/.exec(line ?? '')?.[1], initial, `${key}: ${line}`);
    else assert.equal(line, undefined);
  }
});
