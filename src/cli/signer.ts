import { Command } from 'commander';
import { Fault } from '../base/fault.ts';
import { systemClock } from '../base/clock.ts';
import { openLog, type LogFormat } from '../base/log.ts';
import { requireSocketPath } from '../jsonrpc/http/unix_socket.ts';
import { parsePublicKey, publicKeyText, type PublicKey } from '../values/public_key.ts';
import { LocalSigner } from '../witness/local_signer.ts';
import { explain, errorExitCode } from '../system/exit_codes.ts';
import { SignerServer } from '../witness/signing/signer_server.ts';
import { SigningJournalFile } from '../witness/signing/signing_journal_file.ts';
import { VotingJournalFile, VOTES_SUFFIX } from '../witness/signing/voting_journal_file.ts';
import { readSigningKeys } from '../witness/signing/signing_keys.ts';
import { logFormatOption } from './log_format.ts';

const EXAMPLES = `
Examples:
  $ pharos keys --key-file signing.key                                       a key in a file of its own
  $ pharos signer --socket /run/pharos/signer.sock --private-key-file signing.key
  $ pharos run --config node.ini --witness alice --signer-socket /run/pharos/signer.sock
  $ pharos signer --socket /run/pharos/signer.sock --private-key-file signing.key --standby-key PHR6J...

Whoever may write to the socket, the user of this process and its group, may have blocks signed; nobody gets the key.`;

interface Flags {
  readonly socket: string;
  readonly privateKeyFile: readonly string[];
  readonly privateKeyPasswordFile?: string;
  readonly signingJournal?: string;
  readonly blockInterval: string;
  readonly keyPrefix: string;
  readonly standbyKey: readonly string[];
  readonly logFormat: LogFormat;
}

/** `pharos signer`: holds keys and signing journal, and signs blocks for a node on the same machine. */
export function signerCommand(): Command {
  return new Command('signer')
    .description('hold the key of a witness and its signing journal, and sign blocks for a node of this machine')
    .requiredOption('--socket <file>', 'where the node asks: a Unix socket')
    .requiredOption('--private-key-file <files...>', 'files with the keys, as pharos keys --key-file writes them')
    .option(
      '--private-key-password-file <file>',
      'the first line is the password of encrypted keys; asked for when left out',
    )
    .option('--signing-journal <file>', 'says what was signed; the socket with .signed behind it when left out')
    .option('--block-interval <seconds>', 'how long a slot of the chain is', '3')
    .option('--key-prefix <letters>', 'what keys of the chain begin with', 'PHR')
    .option(
      '--standby-key <keys...>',
      'public signing keys of standbys: the only ones that a witness may be handed over to',
      [],
    )
    .addOption(logFormatOption())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => await serve(flags));
}

async function serve(flags: Flags): Promise<void> {
  const { socket: path, blockInterval, signingJournal = `${path}.signed` } = flags;
  // The system cuts a longer path off, and the node would look for another one.
  requireSocketPath(path, '--socket');
  const intervalSeconds = Number(blockInterval);
  if (!Number.isInteger(intervalSeconds) || intervalSeconds < 1)
    throw new Fault('configuration', `--block-interval: seconds expected, got ${blockInterval}`);
  const log = openLog({ level: 'info', format: flags.logFormat }, 'signer');
  const secrets = await readSigningKeys(flags.privateKeyFile, flags.privateKeyPasswordFile);
  const journal = new SigningJournalFile(signingJournal);
  if (journal.damage !== undefined) log.warning(journal.damage, 'signing_journal_damaged', {});
  const votes = new VotingJournalFile(`${signingJournal}${VOTES_SUFFIX}`);
  if (votes.damage !== undefined) log.warning(votes.damage, 'voting_journal_damaged', {});
  const signer = new LocalSigner(secrets, journal, parseStandbyKeys(flags), votes);
  await new Promise<void>((resolve, reject) => {
    const server = new SignerServer({ path, signer, journal, intervalSeconds, clock: systemClock, log, failed: end });
    const close = (then: () => void): void => void server.close().then(then, reject);
    function end(error: unknown): void {
      process.stderr.write(`pharos: ${explain(error)}\n`);
      process.exit(errorExitCode(error));
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => close(resolve));
    server.listen().then(() => {
      const keys = [...signer.keys].map((key) => publicKeyText(key, flags.keyPrefix));
      log.notice(`signs with ${keys.join(', ')}, listening on ${path}`, 'signer_started', { path });
    }, reject);
  });
}

function parseStandbyKeys({ standbyKey, keyPrefix }: Flags): PublicKey[] {
  return standbyKey.map((text) => {
    const key = parsePublicKey(text, keyPrefix);
    if (key === undefined)
      throw new Fault(
        'configuration',
        `--standby-key: a public key that begins with ${keyPrefix} expected, got ${text}`,
      );
    return key;
  });
}
