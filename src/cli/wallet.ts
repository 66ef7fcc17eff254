import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { WAIT_FOR, type WaitFor } from '../rpc/wait_for.ts';
import { askTwice, NEW_SECRET } from '../wallet/arguments.ts';
import { openDaemon } from '../wallet/daemon.ts';
import { explain, failureExitCode } from '../wallet/failure.ts';
import { runOnce } from '../wallet/one_shot.ts';
import { openWallet, USUAL_SERVER } from '../wallet/open_wallet.ts';
import { PASSWORD_SOURCES, passwordInEnvironment } from '../wallet/password_at_hand.ts';
import { runPrompt } from '../wallet/prompt.ts';
import { askYes } from '../wallet/ask_yes.ts';
import { askHidden } from '../wallet/hidden_input.ts';
import type { Session } from '../wallet/session.ts';
import { readToken } from '../wallet/token_file.ts';
import type { Terminal } from '../wallet/show/terminal.ts';
import { isCredential } from '../system/owners_only.ts';
import { passwordFileAdvice, passwordLine } from '../system/password_line.ts';
import { verifyWithOption } from './verify_flags.ts';
import { unmarkedWords } from './dash_words.ts';
import { needs } from './needed_flags.ts';
import { requireSpared } from './spared_file.ts';

interface Flags {
  readonly walletFile: string;
  readonly server: string;
  readonly config?: string;
  readonly offline: boolean;
  readonly chainId: string;
  readonly profile: string;
  readonly maxFee: string;
  readonly feeSymbol: string;
  readonly trustTime: boolean;
  readonly yes: boolean;
  readonly expirationSeconds: number;
  readonly waitFor?: WaitFor;
  readonly checkpoint: string;
  readonly verifyWith: readonly string[];
  readonly lockAfterMinutes: number;
  readonly rpcEndpoint?: string | true;
  readonly daemon: boolean;
  readonly rpcTokenFile: string;
  readonly passwordFile: string;
  readonly json: boolean;
  readonly out: string;
  readonly color: boolean;
}

/** Of a terminal that doesn't say. */
const USUAL_COLUMNS = 80;
const DEFAULT_RPC = '127.0.0.1:9195';
const LONGEST_EXPIRATION = 3600;

const EXAMPLES = `
Examples:
  $ pharos wallet                                       a prompt; help lists its commands
  $ pharos wallet set_password                          makes wallet.json
  $ pharos wallet import_key                            asks for the key with hidden input
  $ pharos wallet transfer alice bob "1 COIN" "memo" true
  $ pharos wallet --json get_account alice
  $ pharos wallet -- transfer alice bob "1 COIN" --json true   behind -- nothing is a flag
  $ pharos wallet --daemon --rpc-endpoint               JSON-RPC on ${DEFAULT_RPC}
  $ pharos wallet gethelp sign_transaction

${PASSWORD_SOURCES}
Exit codes: 0 done, 1 no answer from the node or the disk, 2 wrong usage, 3 damaged wallet file, 4 port in use,
5 refused by the wallet or by the node`;

/** `pharos wallet`: the wallet as a prompt, as one command, or as a daemon. */
export function walletCommand(): Command {
  return (
    new Command('wallet')
      .description('keep keys, ask a node, sign and send transactions: as a prompt, one command, or a daemon')
      .argument('[words...]', 'one command and its arguments; none opens the prompt')
      .option(
        '-w, --wallet-file <path>',
        'file of the keys; one that pharos keys --key-file wrote is taken too',
        'wallet.json',
      )
      .option(
        '-s, --server <url>',
        `node: ws://, wss://, http://, https:// or unix:PATH (default: the one of --config, else of the wallet file, else of PHAROS_WEBSERVER_UNIX_ENDPOINT, else ${USUAL_SERVER})`,
        '',
      )
      .option('--config <file>', 'settings of the node, which say where it answers: its webserver-unix-endpoint first')
      .option('--offline', 'work without a node', false)
      .option('--chain-id <hex>', 'sign for this chain only', '')
      .option('--profile <name>', 'symbols of the chain while no node says them', 'default')
      .option('--max-fee <amount>', 'the most that the fees of a transaction may come to, in the coin', '1')
      .option('--fee-symbol <symbol>', 'sign for fees in this symbol too, up to the same amount', '')
      .option(
        '--trust-time',
        'let transactions expire by the time of the chain, on a development chain that is ahead of the clock',
        false,
      )
      .option('--yes', 'agree to what the wallet would ask: what is signed though only the node says so', false)
      .option(
        '--expiration-seconds <seconds>',
        'how long new transactions can get into a block (default: 30)',
        parseExpiration,
        0,
      )
      .addOption(
        new Option(
          '--wait-for <stage>',
          'when a transaction counts as sent (default: block, with --checkpoint final)',
        ).choices(WAIT_FOR),
      )
      .option('--checkpoint <text>', 'prove blocks and transactions from this checkpoint on before they are shown', '')
      .addOption(verifyWithOption())
      .option('--lock-after-minutes <minutes>', 'lock after so long without use; 0 never', parseMinutes, 15)
      .option('-d, --daemon', 'no prompt: answer JSON-RPC until SIGINT', false)
      .option(
        '-r, --rpc-endpoint [host:port]',
        `answer JSON-RPC over HTTP and WebSocket, on this machine only (${DEFAULT_RPC})`,
      )
      .option(
        '--rpc-token-file <path>',
        'file with the token that calls must show; made if missing (default: <wallet-file>.token)',
        '',
      )
      .option('--password-file <path>', 'file whose first line is the password', '')
      .option('--json', 'results as JSON', false)
      .option('--out <path>', 'write the result as JSON to a file', '')
      .option('--no-color', 'no colours')
      .addHelpText('after', EXAMPLES)
      .hook(
        'preAction',
        needs({ '--verify-with': ['--checkpoint'], '--rpc-token-file': ['--daemon', '--rpc-endpoint'] }),
      )
      // Arguments such as -1 aren't options.
      .allowUnknownOption()
      .action(run)
  );
}

function parseExpiration(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > LONGEST_EXPIRATION)
    throw new InvalidArgumentError(`0 to ${LONGEST_EXPIRATION} seconds expected.`);
  return Number(text);
}

function parseMinutes(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('0 to 99999 minutes expected.');
  return Number(text);
}

async function run(words: readonly string[], flags: Flags): Promise<void> {
  try {
    process.exitCode = await runWallet(unmarkedWords(words), flags);
  } catch (error) {
    process.stderr.write(
      `pharos wallet: ${explain(error)}${flags.passwordFile === '' ? '' : passwordFileAdvice(error, flags.passwordFile)}\n`,
    );
    process.exitCode = failureExitCode(error);
  }
}

function onIdleLock(): void {
  process.stderr.write('\nlocked: the wallet was not used for a while\n');
}

async function runWallet(words: readonly string[], flags: Flags): Promise<number> {
  const { nodeAddress } = await import('../settings/node_address.ts');
  const server =
    flags.server !== '' || flags.config === undefined ? flags.server : ((await nodeAddress(flags.config)) ?? '');
  const usualServer = await nodeAddress(undefined);
  const session = openWallet({ ...flags, server, usualServer, clock: systemClock, onIdleLock, isCredential });
  try {
    if (flags.daemon || flags.rpcEndpoint !== undefined) return await serve(session, words, flags);
    return words.length > 0 ? await once(session, words, flags) : await prompt(session, flags);
  } finally {
    session.close();
  }
}

async function once(session: Session, words: readonly string[], flags: Flags): Promise<number> {
  if (flags.out !== '') requireSpared(flags.out, '--out');
  return await runOnce({
    session,
    words,
    json: flags.json,
    out: flags.out,
    terminal: makeTerminal(flags),
    print: (text) => void process.stdout.write(text),
    warn: (text) => void process.stderr.write(`pharos wallet: ${text}\n`),
    progress: process.stderr.isTTY ? process.stderr : undefined,
    askPassword: (name) => choosePassword(name, flags),
    passwordAtHand: () => passwordAtHand(flags),
    askSecret,
    // On stderr, because stdout is for the result.
    ...(process.stdin.isTTY ? { confirm: (question) => askYes(question, process.stdin, process.stderr) } : {}),
  });
}

/**
 * The password from a file, the environment or hidden input at the terminal; without a terminal, the next line of the
 * input.
 */
async function choosePassword(name: string, flags: Flags): Promise<string> {
  const atHand = passwordAtHand(flags);
  if (atHand !== undefined) return atHand;
  return process.stdin.isTTY && name === NEW_SECRET ? await askTwice(askSecret) : await askSecret(name);
}

function passwordAtHand({ passwordFile }: Flags): string | undefined {
  return passwordFile === '' ? passwordInEnvironment() : passwordLine(passwordFile);
}

function askSecret(name: string): Promise<string> {
  return askHidden(`${name}: `, process.stdin, process.stderr);
}

async function prompt(session: Session, flags: Flags): Promise<number> {
  const { stdin: input, stdout: output } = process;
  if (input.isTTY) output.write(await greeting(session));
  const { json, walletFile } = flags;
  return await runPrompt({
    session,
    input,
    output,
    isTerminal: input.isTTY && output.isTTY,
    terminal: makeTerminal(flags),
    historyFile: `${walletFile}.history`,
    json,
  });
}

/** Says which wallet this is, and which chain it signs for. */
async function greeting({ wallet }: Session): Promise<string> {
  const { keys, node } = wallet;
  const format = keys.isLineageFile
    ? ' (the lineage’s, weakly encrypted; convert_wallet_file writes it anew)'
    : keys.isPlainKey
      ? ' (one private key as text, without a password; nothing is written into it)'
      : '';
  const bound = keys.chainId === undefined ? '' : `signs for chain ${keys.chainId}\n`;
  const first = keys.state === 'new' ? 'set_password makes a new wallet. ' : '';
  return `wallet ${keys.path}${format}\n${bound}${await nodeLine(node)}\n${first}help lists the commands, exit leaves.\n`;
}

async function nodeLine(node: Session['wallet']['node']): Promise<string> {
  if (node.url === '') return 'offline';
  try {
    return `node ${node.url} on chain ${await node.chainId()}`;
  } catch (error) {
    return `node ${node.url}: ${explain(error)}`;
  }
}

async function serve(session: Session, words: readonly string[], flags: Flags): Promise<number> {
  if (words.length > 0)
    throw new Fault('configuration', 'a daemon takes its commands over RPC; leave out the command or --daemon');
  const tokenFile = flags.rpcTokenFile || `${flags.walletFile}.token`;
  const { host, port } = parseDaemonEndpoint(typeof flags.rpcEndpoint === 'string' ? flags.rpcEndpoint : DEFAULT_RPC);
  const server = await openDaemon({
    host,
    port,
    session,
    token: () => readToken(tokenFile),
    report: (text) => void process.stderr.write(`${text}\n`),
  });
  process.stderr.write(
    `wallet RPC on ${host}:${server.port}, token in ${tokenFile}, ${await nodeLine(session.wallet.node)}\n`,
  );
  try {
    if (!flags.daemon) return await prompt(session, flags);
    await stopped();
    return 0;
  } finally {
    await server.close();
  }
}

function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

function parseDaemonEndpoint(text: string): { host: string; port: number } {
  const match = /^(?:(.+):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535)
    throw new Fault('configuration', `rpc-endpoint: host:port expected, got ${text}`);
  return { host: (match[1] ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1'), port };
}

function makeTerminal({ color }: Flags): Terminal {
  const { stdout, env } = process;
  // If stdout isn't a terminal, the member doesn't exist.
  const isTerminal = 'isTTY' in stdout && stdout.isTTY;
  return {
    colours: isTerminal && color && env['NO_COLOR'] === undefined,
    columns: isTerminal ? stdout.columns || USUAL_COLUMNS : 0,
  };
}
