import { Command } from 'commander';
import { errorMessage } from '../base/error_message.ts';
import { exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { openReadStream, type ReadStream } from '../sinks/nats/stream_reader.ts';
import { schemaText } from '../sinks/event_schema.ts';
import { RefusedConnection, UnusableStream } from '../sinks/sink.ts';
import { endText, StreamCheck } from '../sinks/stream_check.ts';
import { escapeControls } from '../wallet/show/terminal.ts';
import { readConnection } from '../settings/sink_settings.ts';
import { makeProgress } from '../system/progress.ts';
import { ComparedChain } from './stream/compare_chain.ts';

interface StreamFlags {
  readonly nats: readonly string[];
  readonly url?: string;
  readonly stream?: string;
  readonly credentials?: string;
  readonly nkey?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const EXAMPLES = `
Examples:
  $ pharos stream check --nats nats://127.0.0.1:4222                                gaps, repeats, order
  $ pharos stream check --nats nats://127.0.0.1:4222 --url http://127.0.0.1:9193    each block compared with a node's
  $ pharos stream schema > events.avsc                                             of the records

Exit codes: 0 the stream is right, 1 a server did not answer, or lets nobody in, 2 wrong usage, 3 the stream is not right, 5 the node refused`;

/** `pharos stream`: looks at an event stream. */
export function streamCommand(): Command {
  return new Command('stream')
    .description('check an event stream (sink-nats) against its chain, and print the schema of its records')
    .addCommand(checkCommand())
    .addCommand(
      new Command('schema')
        .description('print the Avro schema of the records')
        .action(() => void process.stdout.write(schemaText)),
    )
    .addHelpText('after', EXAMPLES);
}

function checkCommand(): Command {
  return new Command('check')
    .description(
      'read a stream from its beginning: gaps, repeats, order, last position; with --url each block is compared with a node’s',
    )
    .requiredOption('--nats <url>', 'address of a NATS server, as in sink-nats; repeatable', oneMore)
    .option('--url <address>', 'address of a node of the chain, which is asked over WebSockets')
    .option('--stream <name>', 'name of the stream; the only one of a node when left out')
    .option('--credentials <file>', 'as sink-nats-credentials')
    .option('--nkey <file>', 'as sink-nats-nkey')
    .option('--tls-ca <file>', 'as sink-nats-tls-ca')
    .option('--tls-cert <file>', 'as sink-nats-tls-cert')
    .option('--tls-key <file>', 'as sink-nats-tls-key')
    .action(runCheck);
}

function oneMore(value: string, before?: readonly string[]): readonly string[] {
  return [...(before ?? []), value];
}

async function runCheck(flags: StreamFlags): Promise<void> {
  const settings = readConnection(flags.nats, {
    'sink-nats-credentials': flags.credentials,
    'sink-nats-nkey': flags.nkey,
    'sink-nats-tls-ca': flags.tlsCa,
    'sink-nats-tls-cert': flags.tlsCert,
    'sink-nats-tls-key': flags.tlsKey,
  });
  const stream = await reaching(() => openReadStream(settings, flags.stream));
  const chain = flags.url === undefined ? undefined : new ComparedChain(flags.url);
  try {
    const check = await reaching(() => checked(stream, chain));
    await chain?.compare(check.blocks);
    const different = chain?.differences ?? [];
    for (const problem of [...check.problems, ...different]) process.stdout.write(`${escapeControls(problem)}\n`);
    process.stdout.write(`${summary(stream, check)}${chain === undefined ? '' : await comparison(chain, check)}\n`);
    if (check.problems.length + different.length > 0) process.exitCode = exitCodes.damaged;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(
      `pharos: the node at ${flags.url ?? ''} refuses: ${escapeControls(`${error.message} (${error.code})`)}\n`,
    );
    process.exitCode = exitCodes.refused;
  } finally {
    chain?.close();
    await stream.close();
  }
}

/** Blocks are compared as soon as nothing can undo them, so that a stream of any length takes the same memory. */
async function checked(stream: ReadStream, chain: ComparedChain | undefined): Promise<StreamCheck> {
  const check = new StreamCheck();
  const progress = makeProgress('messages', stream.first - 1, stream.last);
  try {
    for await (const message of stream.messages()) {
      check.take(message);
      const settled = check.settled();
      if (settled.length > 0) await chain?.compare(settled);
      progress.update(message.sequence);
    }
  } finally {
    progress.stop();
  }
  check.finish();
  return check;
}

function summary({ name, first, last }: ReadStream, check: StreamCheck): string {
  const { messages, undone, operations } = check.counts;
  const isCut = first > 1 && check.first !== undefined;
  return [
    `${name}: ${messages} messages up to sequence ${last}, ${check.length} blocks with ${operations} operations, ${undone} undone,`,
    ...(isCut ? [`begins with message ${first} and block ${check.first};`] : []),
    `irreversible up to ${check.irreversible}; it ends with ${endText(check)}`,
  ].join(' ');
}

async function comparison(chain: ComparedChain, { blocks }: StreamCheck): Promise<string> {
  const { number } = await chain.end();
  const behind = number - (blocks.at(-1)?.number ?? 0);
  return `${behind > 0 ? `, ${behind} blocks before the chain’s head` : ''}; compared with the chain`;
}

/** Faults that say what could not be reached. */
async function reaching<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RefusedConnection) throw new Fault('transport', error.message, error);
    if (error instanceof UnusableStream) throw new Fault('damaged_data', error.message, error);
    if (error instanceof Fault) throw error;
    throw new Fault('transport', `the NATS server: ${errorMessage(error)}`, error);
  }
}
