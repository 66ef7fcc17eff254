import { join } from 'node:path';
import { Command } from 'commander';
import { Fault } from '../base/fault.ts';
import { readParameters } from '../settings/chain_settings.ts';
import { chainNamed } from '../settings/named_chain.ts';
import { openFolderCopy, requireUnused } from '../data_folder/folder_copy.ts';
import { cleaningUp } from '../system/first_cause.ts';
import { makeProgress } from '../system/progress.ts';
import { CHECKS, verifyStore } from '../data_folder/verify/verify_store.ts';

interface VerifyOptions {
  readonly dataDir: string;
  readonly genesis?: string;
  readonly profile: string;
  readonly initialSigningKey?: string;
}

/** `pharos verify`: checks a data folder while no node uses it. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('check a data folder: blocks, histories, rows, indexes, state hash, sums of money')
    .addHelpText('after', `\n${CHECKS}`)
    .requiredOption('--data-dir <folder>', 'folder of the database; for a development chain data/dev/chain')
    .option('--genesis <file>', 'genesis file of the chain; genesis.json beside or in the folder when left out')
    .option('--profile <name>', 'symbols of the chain', 'default')
    .option('--initial-signing-key <key>', "public key that signs the first witness's blocks, instead of the profile's")
    .action(runVerify);
}

async function runVerify(options: VerifyOptions): Promise<void> {
  const { dataDir, genesis, profile, initialSigningKey } = options;
  requireUnused(dataDir, 'verify');
  const genesisFiles =
    genesis === undefined ? [join(dataDir, 'genesis.json'), join(dataDir, '..', 'genesis.json')] : [genesis];
  const parameters = readParameters(chainNamed({ profile, genesisFiles, initialSigningKey }));
  const { store, loss, close } = await openFolderCopy(dataDir, 'verify');
  await cleaningUp(async () => {
    const progress = { current: makeProgress('blocks', 0, 1) };
    const { problems: found, summary } = verifyStore(store, parameters, (done, total) => {
      if (done === 0) progress.current = makeProgress('blocks', 0, total);
      progress.current.update(done);
    });
    progress.current.stop();
    process.stdout.write(`${summary}\n`);
    const problems = loss === undefined ? found : [loss.message, ...found];
    if (problems.length > 0) throw new Fault('damaged_data', `${dataDir} is damaged:\n  ${problems.join('\n  ')}`);
  }, close);
}
