import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { withOptionHint } from '../../src/cli/option_hint.ts';

const command = new Command('verify').option('--genesis <file>', 'genesis').option('--data-dir <folder>', 'folder');
const run = new Command('run').option('--genesis-json <file>', 'genesis').option('--p2p-endpoint <place>', 'peers');

test('an option that the command knows by fewer or more words is named', () => {
  for (const [of, unknown, meant] of [
    [command, '--genesis-json', '--genesis'],
    [run, '--genesis', '--genesis-json'],
    [run, '--p2p', '--p2p-endpoint'],
  ] as const)
    assert.equal(
      withOptionHint(`error: unknown option '${unknown}'\n`, of),
      `error: unknown option '${unknown}'\n(Did you mean ${meant}?)\n`,
    );
});

test('nothing is guessed of words that only begin alike, and what is told already stays', () => {
  for (const error of [
    "error: unknown option '--gen'\n",
    "error: unknown option '--genesisjson'\n",
    "error: unknown option '--other'\n",
    "error: unknown option '--genesi'\n(Did you mean --genesis?)\n",
    "error: missing required argument 'witness'\n",
  ])
    assert.equal(withOptionHint(error, command), error);
});
