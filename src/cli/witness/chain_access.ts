import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { encodeWif } from '../../crypto/wif.ts';
import { connect, type Client, type GivenOperation, type Result } from '../../client/index.ts';
import { NodeRefusal } from '../../client/node_refusal.ts';
import { askYes } from '../../wallet/ask_yes.ts';
import { PASSWORD_SOURCES, passwordInEnvironment } from '../../wallet/password_at_hand.ts';
import { readSigningKeys } from '../../witness/signing/signing_keys.ts';
import type { Command } from 'commander';
import { addressFlags } from '../../settings/node_address.ts';
import { parseTime, type Seconds } from '../../values/time.ts';
import { publicKeyText } from '../../values/public_key.ts';

/** Which node is asked, as every command on a witness takes it. */
export interface NodeFlags {
  readonly url: string;
}

/** Flags for the keys of an account, and for confirmation before anything is sent. */
export interface AccountFlags extends NodeFlags {
  readonly walletFile: string;
  readonly passwordFile?: string;
  readonly yes: boolean;
}

const WALLET_PASSWORD = '--password-file, or set PHAROS_WALLET_PASSWORD';

/** A number that a flag says. Fault `configuration` for anything else: a limit that nobody can read would be none. */
export function parseNumber(flag: string, text: string): number {
  const number = Number(text);
  if (/^\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text) && Number.isFinite(number)) return number;
  throw new Fault('configuration', `${flag}: a number expected, got ${text}`);
}

/** Adds the address of the node to a command. */
export function nodeFlags(command: Command): Command {
  return addressFlags(command);
}

/** Adds what sends transactions, from wherever the keys are: the node gets nothing but the signed transaction. */
export function accountFlags(command: Command): Command {
  return nodeFlags(command)
    .option(
      '--wallet-file <file>',
      'the wallet, or a file with a WIF, that has the active key of the account',
      'wallet.json',
    )
    .option('--password-file <file>', 'the first line is its password')
    .option('--yes', 'send without asking', false)
    .addHelpText('after', `\n${PASSWORD_SOURCES}`);
}

/** A witness as the chain has it. */
export type ChainWitness = NonNullable<Result<'alexandria_api.get_witness'>['witness']>;

/** Connects, does something, and closes the connection whatever comes of it. */
export async function onChain<T>({ url }: NodeFlags, run: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await run(client);
  } finally {
    client.close();
  }
}

/** True when votes make the blocks of the chain irreversible: then a replaced key votes until its epoch ends. */
export async function hasFinality(client: Client): Promise<boolean> {
  const { info } = await client.call('alexandria_api.info', {});
  return info.confirmed_block_num !== undefined;
}

/** A time of the chain, such as a method shows it. */
export function toSeconds(time: string): Seconds {
  return present(parseTime(time), 'the time in an answer');
}

/**
 * Gives an order to the producer of a running node. Fault `configuration` where there is none, or it takes no orders at
 * this address.
 */
export async function orderProducer<T>({ url }: NodeFlags, order: () => Promise<T>): Promise<T> {
  try {
    return await order();
  } catch (error) {
    if (!(error instanceof NodeRefusal) || error.code !== 'method_not_found') throw error;
    throw new Fault(
      'configuration',
      `the node at ${url} makes no blocks for any witness, or takes orders from programs of its own machine only, where it has an admin-endpoint at that`,
      error,
    );
  }
}

/** Undefined when the account owns no witness. */
export async function fetchWitness(client: Client, owner: string): Promise<ChainWitness | undefined> {
  return (await client.call('alexandria_api.get_witness', { owner_account: owner })).witness;
}

/** An account as the chain has it. */
export type ChainAccount = Result<'database_api.find_accounts'>['accounts'][number];

/** The sending account, with its keys. */
export interface Sender {
  readonly account: ChainAccount;
  /** WIFs of those in the wallet that its active authority names: others would be superfluous signatures. */
  readonly keys: readonly string[];
}

/**
 * Finds an account and its active keys. Fault `configuration` where one is missing: before anything is made or asked.
 */
export async function makeSender(client: Client, name: string, flags: AccountFlags): Promise<Sender> {
  const { accounts } = await client.call('database_api.find_accounts', { accounts: [name], pending: false });
  const [account] = accounts;
  if (account === undefined) throw new Fault('configuration', `the chain knows no account ${name}`);
  return { account, keys: await activeKeys(account, client.symbols.keyPrefix, flags) };
}

/** Shows what is to be sent, asks, and sends it. Fault `configuration` when nobody agrees. */
export async function sendAs(
  client: Client,
  sender: Sender,
  operation: GivenOperation,
  flags: Pick<AccountFlags, 'yes'>,
): Promise<void> {
  await confirmOperation(sender, operation, flags);
  await sendAgreed(client, sender, operation);
}

/** Shows what is to be sent, and asks. Fault `configuration` when nobody agrees. */
export async function confirmOperation(
  { account }: Sender,
  operation: GivenOperation,
  { yes }: Pick<AccountFlags, 'yes'>,
): Promise<void> {
  process.stdout.write(`to be sent as ${account.name}: ${JSON.stringify(operation)}\n`);
  const agrees = yes || (process.stdin.isTTY && (await askYes('Send it?', process.stdin, process.stdout)));
  if (!agrees) throw new Fault('configuration', 'nothing was sent: agree at the terminal, or with --yes');
}

/** Sends what was agreed to, and returns when it is in a block. */
export async function sendAgreed(client: Client, { keys }: Sender, operation: GivenOperation): Promise<void> {
  const { id, block_num: number } = await client.send([operation], keys);
  process.stdout.write(`in block ${number}: transaction ${id}\n`);
}

async function activeKeys(
  account: ChainAccount,
  prefix: string,
  { walletFile, passwordFile }: AccountFlags,
): Promise<string[]> {
  const named = new Set(account.active.key_auths.map(([key]) => key));
  const secrets = await readSigningKeys([walletFile], passwordFile, {
    setting: WALLET_PASSWORD,
    password: passwordInEnvironment(),
  });
  const publicText = (secret: Uint8Array): string =>
    publicKeyText(Buffer.from(derivePublicKey(secret) ?? []).toString('hex'), prefix);
  const fit = secrets.filter((secret) => named.has(publicText(secret)));
  if (fit.length === 0) throw new Fault('configuration', `${walletFile} has no active key of ${account.name}`);
  return fit.map((secret) => encodeWif(secret));
}
