#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { exitCodeOf, explain } from './exit_codes.ts';
import { withoutKeys } from './hidden_keys.ts';
import { PROGRAM_VERSION } from './program_version.ts';
import { nameSourceLines } from './threads/source_lines.ts';

nameSourceLines();

const EXAMPLES = `
Examples:
  $ pharos dev                                     a development chain with funded accounts
  $ pharos run --config node.ini                   a node, settings from a file
  $ pharos settings > node.ini                     a settings file with every key and its default
  $ pharos import --genesis genesis.json --profile lineage --block-log block_log --data-dir data/imported
  $ pharos export --data-dir data/node --block-log block_log
  $ pharos verify --data-dir data/node             checks a data folder
  $ pharos call alexandria_api.info                asks a running node
  $ pharos stream check --nats nats://127.0.0.1:4222   an event stream
  $ pharos doctor --config node.ini                what is wrong with a node, and what to do
  $ pharos top                                     what a running node is busy with, and for whom
  $ pharos peers                                   who a running node is connected with
  $ pharos witness journal                         what this machine has signed
  $ pharos keys --brain-key "some words"           a key pair

Exit codes: 0 stopped cleanly, 1 failed while running, 2 wrong usage or configuration, 3 damaged data, 4 port in use,
            6 another machine signs with a key of this witness, 7 pharos witness watch or doctor has found something`;

/** One file per command; each is loaded only when needed, because together they make up the whole program. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.ts')).runCommand(),
  dev: async () => (await import('./commands/dev.ts')).devCommand(),
  import: async () => (await import('./commands/import.ts')).importCommand(),
  snapshot: async () => (await import('./commands/snapshot.ts')).snapshotCommand(),
  export: async () => (await import('./commands/export.ts')).exportCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  settings: async () => (await import('./commands/settings.ts')).settingsCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  call: async () => (await import('./commands/call.ts')).callCommand(),
  top: async () => (await import('./commands/top.ts')).topCommand(),
  peers: async () => (await import('./commands/peers.ts')).peersCommand(),
  witness: async () => (await import('./commands/witness.ts')).witnessCommand(),
  signer: async () => (await import('./commands/signer.ts')).signerCommand(),
  stream: async () => (await import('./commands/stream.ts')).streamCommand(),
  index: async () => (await import('./commands/index_chain.ts')).indexCommand(),
  load: async () => (await import('./commands/load.ts')).loadCommand(),
  wallet: async () => (await import('./commands/wallet.ts')).walletCommand(),
};

/** The command line parser with the requested command; with all commands when none is requested. */
async function program(asked: string | undefined): Promise<Command> {
  const pharos = new Command('pharos')
    .description('A blockchain node for the chain behind the Alexandria API.')
    .version(PROGRAM_VERSION, '-v, --version')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(pharos --help shows all commands)')
    .configureHelp({ helpWidth: 110 });
  const isCommand = asked !== undefined && Object.hasOwn(commands, asked);
  const isVersion = asked === '--version' || asked === '-v';
  const wanted = Object.entries(commands).filter(([name]) => !isVersion && (!isCommand || name === asked));
  for (const [, load] of wanted) pharos.addCommand(await load());
  for (const command of allBelow(pharos))
    command.exitOverride().configureOutput({ writeErr: (text) => process.stderr.write(withoutKeys(text)) });
  return pharos;
}

function allBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allBelow)];
}

// A reader such as `head` has closed the pipe: the command continues, and its exit code gives the result.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Nothing is awaited at the top: the bundled program is a script. */
async function main(): Promise<void> {
  try {
    await (await program(process.argv[2])).parseAsync();
  } catch (error) {
    // Commander has already printed the error; help and version are not errors.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      process.stderr.write(`pharos: ${explain(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  }
}

void main();
