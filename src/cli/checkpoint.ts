import { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { member } from '../client/chain_of_node.ts';
import { openConnection } from '../client/connect.ts';
import type { Json } from '../codec/json.ts';
import { addressesFlags } from '../settings/node_address.ts';
import { parseCheckpoint, type Checkpoint } from '../values/checkpoint.ts';
import { timeText } from '../values/time.ts';
import { escapeControls } from '../wallet/show/terminal.ts';

const EXAMPLES = `
Examples:
  $ pharos checkpoint                                                         what this machine's node tells
  $ pharos checkpoint --url https://a.example --url https://b.example   what both tell

A client that has a checkpoint trusts no node: it verifies what nodes answer. So ask nodes of operators who don't know
each other, or a person whom you trust. The text goes to stdout, everything else to stderr.

Exit codes: 0 all nodes tell the same, 1 a node did not answer, 2 wrong usage, 5 a node has no checkpoint,
            7 nodes tell different ones: nothing is printed to stdout`;

const CALL_MS = 30_000;

interface Flags {
  readonly url: readonly string[];
}

/** The checkpoint that a node tells. */
interface ToldCheckpoint {
  readonly url: string;
  readonly text: string;
  readonly checkpoint: Checkpoint;
  readonly epochBlocks: number;
  readonly isProven: boolean;
}

/** `pharos checkpoint`: prints a checkpoint for clients that trust no node, and compares it between nodes. */
export function checkpointCommand(): Command {
  return addressesFlags(
    new Command('checkpoint').description('print a checkpoint, with which clients verify what nodes answer'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async ({ url }: Flags) => await printCheckpoint(url));
}

async function printCheckpoint(urls: readonly string[]): Promise<void> {
  const newest = await awaitAll(urls.map(async (url) => await ask(url)));
  if (newest === undefined) return;
  const same = await awaitAll(newest.map(async (told) => await asOldAs(told, oldestCheckpoint(newest))));
  if (same === undefined) return;
  const [first] = same;
  if (same.some(({ text }) => text !== first?.text)) return showDifference(same);
  for (const { url, isProven } of same)
    if (!isProven) say(`${url} has no certificate yet: nothing but its word stands behind the checkpoint`);
  say(
    same.length === 1
      ? 'one node tells this: compare it with another one (a second --url), or with a person whom you trust'
      : `${same.length} nodes tell the same`,
  );
  if (first !== undefined) process.stdout.write(`${first.text}\n`);
}

/** Undefined where one of them refuses. */
async function awaitAll(
  asked: readonly Promise<ToldCheckpoint | undefined>[],
): Promise<readonly ToldCheckpoint[] | undefined> {
  const told = (await Promise.all(asked)).filter((each) => each !== undefined);
  return told.length === asked.length ? told : undefined;
}

/** Nodes go from one checkpoint to the next at different moments. */
function oldestCheckpoint(told: readonly ToldCheckpoint[]): number {
  return Math.min(...told.map(({ checkpoint }) => checkpoint.number));
}

async function asOldAs(told: ToldCheckpoint, number: number): Promise<ToldCheckpoint | undefined> {
  return told.checkpoint.number === number ? told : await ask(told.url, Math.trunc(number / told.epochBlocks));
}

/** Undefined where the node refuses; what it says is shown then. */
async function ask(url: string, epoch?: number): Promise<ToldCheckpoint | undefined> {
  const connection = openConnection(url, systemClock);
  try {
    const params = epoch === undefined ? {} : { checkpoint_epoch: epoch };
    return readCheckpoint(
      url,
      await connection.call('block_api.get_finality', params, { timeoutMs: CALL_MS, repeatable: false }),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(`${url}: ${error.message} (${error.code})`);
    process.exitCode = exitCodes.refused;
    return undefined;
  } finally {
    connection.close();
  }
}

function readCheckpoint(url: string, state: Json): ToldCheckpoint {
  const text = String(member(state, 'checkpoint'));
  const [checkpoint, epochBlocks] = [parseCheckpoint(text), Number(member(state, 'epoch_blocks'))];
  if (checkpoint === undefined || !(epochBlocks >= 1))
    throw new Fault('runtime', `${url} tells no checkpoint: its answer is not that of a node of this version`);
  return { url, text, checkpoint, epochBlocks, isProven: member(state, 'certificate') !== undefined };
}

function showDifference(told: readonly ToldCheckpoint[]): void {
  for (const { url, text, checkpoint } of told) say(`${url} tells ${text}, of ${timeText(checkpoint.time)}`);
  say(
    'these nodes tell different checkpoints: at least one of them lies, or is on another chain; use none before you know which',
  );
  process.exitCode = exitCodes.alarm;
}

function say(sentence: string): void {
  process.stderr.write(`${escapeControls(sentence)}\n`);
}
