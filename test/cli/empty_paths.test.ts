import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { refuseEmptyPaths } from '../../src/cli/empty_paths.ts';
import { callCommand } from '../../src/cli/call.ts';
import { devCommand } from '../../src/cli/dev.ts';
import { genesisCommand } from '../../src/cli/genesis.ts';
import { initCommand } from '../../src/cli/init.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { signerCommand } from '../../src/cli/signer.ts';
import { verifyCommand } from '../../src/cli/verify.ts';
import { walletCommand } from '../../src/cli/wallet.ts';

test('an empty text for a file or a folder is refused before anything is made, and its flag is named', async () => {
  for (const [command, args, place] of [
    [devCommand(), ['dev', '--data-dir', ''], '--data-dir'],
    [devCommand(), ['dev', '--state', ''], '--state'],
    [keysCommand(), ['keys', '--key-file='], '--key-file'],
    [signerCommand(), ['signer', '--socket', '', '--private-key-file', 'x'], '--socket'],
    [signerCommand(), ['signer', '--socket', 'x', '--private-key-file', 'y', ''], '--private-key-file'],
    [verifyCommand(), ['verify', '--data-dir', ''], '--data-dir'],
    [walletCommand(), ['wallet', '--out', '', 'info'], '--out'],
    [genesisCommand(), ['genesis', 'check', ''], 'the argument file'],
    [initCommand(), ['init', 'app', ''], 'the argument folder'],
  ] as const)
    await assert.rejects(parsed(command, args), {
      code: 'configuration',
      message: new RegExp(`^${place} is empty: name a (?:file|folder); a variable may be unset$`),
    });
});

test('a member of a result and a word of a wallet command may be empty', async () => {
  await parsed(callCommand(), ['call', 'a.b', '--member', '']);
  await parsed(walletCommand(), ['wallet', 'transfer', 'alice', 'bob', '1 COIN', '']);
});

async function parsed(command: Command, args: readonly string[]): Promise<void> {
  const program = new Command().hook('preAction', (_, acting) => refuseEmptyPaths(acting)).addCommand(command);
  for (const each of withThoseBelow(command)) each.exitOverride().action(() => {});
  await program.parseAsync([...args], { from: 'user' });
}

const withThoseBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(withThoseBelow)];
