#!/usr/bin/env node
import { Command, CommanderError, Help, type Option } from 'commander';
import { exitMeanings } from '../base/exit_codes.ts';
import { errorExitCode, explain } from '../system/exit_codes.ts';
import { markDashWords } from './dash_words.ts';
import { refuseEmptyPaths } from './empty_paths.ts';
import { withOptionHint } from './option_hint.ts';
import { withoutKeys } from '../system/hidden_keys.ts';
import { PROGRAM_VERSION } from '../system/program_version.ts';
import { nameSourceLines } from '../system/source_lines.ts';

nameSourceLines();

const EXAMPLES = `
Examples:
  $ pharos dev                                     a development chain with funded accounts
  $ pharos init app my-app                         a project that uses a chain, with tests
  $ pharos run --config node.ini                   a node, settings from a file
  $ pharos settings > node.ini                     a settings file with every key and its default
  $ pharos genesis create --name my-chain --out genesis.json --keys keys   a chain of your own
  $ pharos net up --nodes 4                        a private net of four nodes on this machine, for tests
  $ pharos import --genesis genesis.json --profile lineage --block-log block_log --data-dir data/imported
  $ pharos export --data-dir data/node --block-log block_log
  $ pharos verify --data-dir data/node             checks a data folder
  $ pharos call alexandria_api.info                asks a running node
  $ pharos stream check --nats nats://127.0.0.1:4222   an event stream
  $ pharos doctor --config node.ini                what is wrong with a node, and what to do
  $ pharos top                                     what a running node is busy with, and for whom
  $ pharos peers                                   who a running node is connected with
  $ pharos checkpoint                              with which clients verify what nodes answer
  $ pharos witness journal                         what this machine has signed
  $ pharos keys --brain-key                        a key pair of words that it asks for`;

const EXIT_CODES = `
Exit codes:
${Object.entries(exitMeanings)
  .map(([code, meaning]) => `  ${code}  ${meaning}`)
  .join('\n')}`;

/** One file per command; each is loaded only when needed, because together they make up the whole program. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./run.ts')).runCommand(),
  dev: async () => (await import('./dev.ts')).devCommand(),
  init: async () => (await import('./init.ts')).initCommand(),
  genesis: async () => (await import('./genesis.ts')).genesisCommand(),
  net: async () => (await import('./net.ts')).netCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  snapshot: async () => (await import('./snapshot.ts')).snapshotCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  settings: async () => (await import('./settings.ts')).settingsCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  call: async () => (await import('./call.ts')).callCommand(),
  top: async () => (await import('./top.ts')).topCommand(),
  checkpoint: async () => (await import('./checkpoint.ts')).checkpointCommand(),
  peers: async () => (await import('./peers.ts')).peersCommand(),
  witness: async () => (await import('./witness.ts')).witnessCommand(),
  signer: async () => (await import('./signer.ts')).signerCommand(),
  stream: async () => (await import('./stream.ts')).streamCommand(),
  index: async () => (await import('./index_chain.ts')).indexCommand(),
  load: async () => (await import('./load.ts')).loadCommand(),
  wallet: async () => (await import('./wallet.ts')).walletCommand(),
};

/** The command line parser with the requested command; with all commands when none is requested. */
async function program(asked: string | undefined): Promise<Command> {
  const pharos = new Command('pharos')
    .description('A blockchain node for the chain behind the Alexandria API.')
    .version(PROGRAM_VERSION, '-v, --version')
    .addHelpText('after', EXAMPLES + EXIT_CODES)
    .showHelpAfterError('(pharos --help shows all commands)')
    .configureHelp({ helpWidth: 110 });
  const isCommand = asked !== undefined && Object.hasOwn(commands, asked);
  const isVersion = asked === '--version' || asked === '-v';
  const wanted = Object.entries(commands).filter(([name]) => !isVersion && (!isCommand || name === asked));
  for (const [, load] of wanted) pharos.addCommand(await load());
  pharos.hook('preAction', (_, acting) => refuseEmptyPaths(acting));
  for (const command of allSubcommands(pharos))
    command
      .exitOverride()
      .configureOutput({
        writeErr: (text) => process.stderr.write(withoutKeys(text)),
        outputError: (text, write) => write(withOptionHint(text, command)),
      })
      .configureHelp({ ...command.configureHelp(), optionDescription: describeOption });
  return pharos;
}

/** An option with one default at most: where its description says what happens without it, the value is no default. */
function describeOption(option: Option): string {
  const description = new Help().optionDescription(option);
  if (option.defaultValue === undefined) return description;
  const isDescribed = option.description.includes('(default: ');
  return description.replace(isDescribed ? / \(default: [^)]*\)$/ : / \(default: (?:""|\[\])\)$/, '');
}

function allSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allSubcommands)];
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
    const [, , asked, ...args] = process.argv;
    const parser = await program(asked);
    const command = parser.commands.find((each) => each.name() === asked);
    await parser.parseAsync(
      asked === undefined ? [] : [asked, ...(command === undefined ? args : markDashWords(args, command))],
      {
        from: 'user',
      },
    );
  } catch (error) {
    // Commander has already printed the error; help and version are not errors.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      process.stderr.write(`pharos: ${explain(error)}\n`);
      process.exitCode = errorExitCode(error);
    }
  }
}

void main();
