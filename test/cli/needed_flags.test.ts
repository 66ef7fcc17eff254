import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { Command } from 'commander';
import { Fault } from '../../src/base/fault.ts';
import { callCommand } from '../../src/cli/call.ts';
import { indexCommand } from '../../src/cli/index_chain.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { walletCommand } from '../../src/cli/wallet.ts';

/** Flags whose help names another flag, and which say something without it. */
const SAY_SOMETHING_ALONE: ReadonlySet<string> = new Set([
  'dev --data-dir',
  'index --from',
  'index --metrics-endpoint',
  'load --prepare',
  'wallet --server',
]);

test('a flag whose help names another flag is refused without it, or says something alone', async () => {
  const silent: string[] = [];
  for (const command of await allCommands())
    for (const option of command.options) {
      const named = command.options.filter(({ long }) => long !== option.long && mentions(option.description, long));
      // An address may stand in the settings of the node instead, which --config names.
      if (named.length === 0 || option.long === '--url') continue;
      const flag = `${command.name()} ${option.long}`;
      if (!SAY_SOMETHING_ALONE.has(flag) && (await refusal(command, [option.long ?? '', '1'])) === undefined)
        silent.push(flag);
    }
  assert.deepEqual(silent, []);
});

test('what would be left unheard is refused, and says what it needs', async () => {
  for (const [command, args, words] of [
    [keysCommand(), ['--password-file', 'x'], '--password-file says nothing without --key-file'],
    [callCommand(), ['a.b', '--verify-with', 'x'], '--verify-with says nothing without --checkpoint'],
    [indexCommand(), ['--postgres', 'x', '--stream', 'y'], '--stream says nothing without --from'],
    [indexCommand(), ['--postgres', 'x', '--tls-ca', 'y'], '--tls-ca says nothing without --from'],
    [walletCommand(), ['--verify-with', 'x', 'info'], '--verify-with says nothing without --checkpoint'],
    [
      walletCommand(),
      ['--rpc-token-file', 'x', 'info'],
      '--rpc-token-file says nothing without --daemon or --rpc-endpoint',
    ],
  ] as const)
    assert.equal(await refusal(command, args), words);
  assert.match((await refusal(keysCommand(), ['--brain-key', 'a b', '--seed', 'c'])) ?? '', /cannot be used with/);
  assert.equal(await refusal(walletCommand(), ['--rpc-token-file', 'x', '--daemon']), undefined);
});

/** The commands of `pharos`, and those below them. */
async function allCommands(): Promise<Command[]> {
  const folder = new URL('../../src/cli/', import.meta.url);
  const found: Command[] = [];
  for (const file of readdirSync(folder).filter((name) => /(?<!\.d)\.[jt]s$/.test(name) && !name.startsWith('cli.'))) {
    const exported: Readonly<Record<string, unknown>> = await import(new URL(file, folder).href);
    for (const [name, make] of Object.entries(exported))
      if (name.endsWith('Command') && typeof make === 'function') {
        const command: unknown = make();
        if (command instanceof Command) found.push(...withThoseBelow(command));
      }
  }
  assert.ok(found.length > 40, `${found.length} commands`);
  return found;
}

const withThoseBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(withThoseBelow)];

function mentions(description: string, long: string | undefined): boolean {
  return long !== undefined && new RegExp(`${long}(?![a-z-])`).test(description);
}

/** The refusal of these flags, with those that the command always needs; undefined when it would begin. */
async function refusal(command: Command, args: readonly string[]): Promise<string | undefined> {
  const needed = command.options.filter(({ mandatory, long }) => mandatory && !args.includes(long ?? ''));
  command.exitOverride().configureOutput({ writeErr: () => {} });
  command.action(() => {});
  const words = command.registeredArguments.filter(({ required }) => required).map(() => 'x');
  try {
    await command.parseAsync([...args, ...needed.flatMap(({ long }) => [long ?? '', '1']), ...words], { from: 'user' });
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.message : String(error);
  }
}
