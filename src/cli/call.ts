import { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { symbolsInConfig } from '../client/chain_of_node.ts';
import { openConnection } from '../client/connect.ts';
import type { NodeConnection } from '../client/connection.ts';
import { verifiedClient, type VerifiedClient } from '../client/verified.ts';
import { provenAnswer, requireProvable, type AnsweredCall } from '../client/verified/proven_answer.ts';
import { neutralEncoding } from '../codec/encoding_options.ts';
import type { Json } from '../codec/json.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { prettyJson } from '../wallet/pretty_json.ts';
import { provenLine } from '../wallet/proofs.ts';
import { checkMember, noMember } from './declared_member.ts';
import { addressFlags } from '../settings/node_address.ts';
import { verifyWithOption } from './verify_flags.ts';
import { escapeControls } from '../wallet/show/terminal.ts';
import { needs } from './needed_flags.ts';

const EXAMPLES = `
Examples:
  $ pharos call alexandria_api.info
  $ pharos call alexandria_api.get_account '{"account_name":"alice"}'
  $ pharos call block_api.get_block '{"block_num":1}' --url ws://127.0.0.1:9193
  $ pharos call alexandria_api.info --url unix:/run/pharos/rpc.sock
  $ pharos call alexandria_api.broadcast_transaction - < transaction.json
  $ pharos call alexandria_api.get_account '{"account_name":"alice"}' --member account.0.balance
  $ pharos call transfer '["alice","bob","1 COIN",""]'
  $ pharos call block_api.get_block '{"block_num":1204}' --verify --checkpoint "$CHECKPOINT" --verify-with https://b.example

Exit codes: 0 the node answered, 1 it did not, 2 wrong usage, 5 it refused, or what it says is not proven`;

interface CallFlags {
  readonly url: string;
  readonly member?: string;
  readonly verify?: boolean;
  readonly checkpoint?: string;
  readonly verifyWith: readonly string[];
}

/** A synchronous broadcast can take as long as its transaction is valid. */
const CALL_MS = 3_660_000;

/** `pharos call`: calls a method of a node and prints its result. */
export function callCommand(): Command {
  return addressFlags(new Command('call').description('call a method of a node and print its result as JSON'))
    .argument('<method>', 'group.method, or a bare name as old clients call it')
    .argument(
      '[params]',
      'JSON object with the members that the method takes, an array for a bare name; - reads it from stdin',
    )
    .option('--member <path>', 'print only this member of the result, such as account.0.balance: a text without quotes')
    .option('--verify', 'print a block or a transaction only if it is proven to be final')
    .option('--checkpoint <text>', 'what the proof begins with: pharos checkpoint prints one')
    .addOption(verifyWithOption())
    .hook('preAction', needs({ '--verify-with': ['--checkpoint'] }))
    .addHelpText('after', EXAMPLES)
    .action(async (method: string, params: string | undefined, flags: CallFlags) => {
      const given = params === undefined ? noParams(method) : readParams(params === '-' ? await wholeInput() : params);
      await callAndPrint(method, given, flags);
    });
}

async function wholeInput(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += String(piece);
  return text;
}

function noParams(method: string): Json {
  return method.includes('.') ? {} : [];
}

function readParams(source: string): Json {
  try {
    return readJsonText(source);
  } catch (error) {
    if (error instanceof Refusal)
      throw new Refusal(error.code, `the params are no JSON: ${error.message}`, error.details);
    throw error;
  }
}

/** Prints the result to stdout; a refusal, with its stable name, to stderr. */
async function callAndPrint(method: string, params: Json, flags: CallFlags): Promise<void> {
  const client = makeVerifier(flags);
  const connection = openConnection(flags.url, systemClock);
  try {
    if (client !== undefined) requireProvable(method);
    const isRead = flags.member === undefined || (await checkMember(method, flags.member));
    const answer = await connection.call(method, params, { timeoutMs: CALL_MS, repeatable: false });
    const result = client === undefined ? answer : await proven(client, connection, { method, params, answer });
    process.stdout.write(
      `${flags.member === undefined ? prettyJson(result) : shownMember(result, flags.member, isRead)}\n`,
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`pharos: ${escapeControls(`${error.message} (${error.code})`)}\n${toldMore(error)}`);
    process.exitCode = exitCodes.refused;
  } finally {
    connection.close();
    client?.close();
  }
}

function makeVerifier({ url, verify, checkpoint, verifyWith }: CallFlags): VerifiedClient | undefined {
  if (verify !== true && checkpoint === undefined) return undefined;
  if (checkpoint !== undefined) return verifiedClient({ checkpoint, nodes: [url, ...verifyWith] });
  throw new Fault(
    'configuration',
    '--verify needs --checkpoint: pharos checkpoint prints one, and other people have one',
  );
}

async function proven(
  client: VerifiedClient,
  connection: NodeConnection,
  call: Omit<AnsweredCall, 'words'>,
): Promise<Json> {
  const words = symbolsInConfig(
    await connection.call('database_api.get_config', {}, { timeoutMs: CALL_MS, repeatable: true }),
    neutralEncoding,
  );
  const result = await provenAnswer(client, { ...call, words });
  process.stderr.write(`pharos: ${provenLine(await client.head())}\n`);
  return result;
}

/** The same; of a call that may have changed something the whole result is shown when it has no such member. */
function shownMember(result: Json, path: string, isRead: boolean): string {
  try {
    return memberText(result, path);
  } catch (error) {
    if (!isRead)
      process.stderr.write(
        `pharos: the node has carried out the call, and answered:\n${escapeControls(prettyJson(result))}\n`,
      );
    throw error;
  }
}

/** A member of a result by its path; positions in arrays count from 0. */
function memberText(result: Json, path: string): string {
  let value: Json | undefined = result;
  for (const name of path.split('.')) {
    const members: ReadonlyMap<string, Json> = new Map(
      typeof value === 'object' && value !== null ? Object.entries(value) : [],
    );
    value = members.get(name);
    if (value === undefined) {
      throw noMember(path, name, [...members.keys()]);
    }
  }
  return typeof value === 'string' ? escapeControls(value) : prettyJson(value);
}

/** Further details of a refusal, such as the digest and the keys that signed, one per line. */
function toldMore({ details: { node_code: _code, ...details } }: Refusal): string {
  const lines = Object.entries(details).map(
    ([member, value]) => `  ${member}: ${Array.isArray(value) ? value.join(', ') : String(value)}\n`,
  );
  return escapeControls(lines.join(''));
}
