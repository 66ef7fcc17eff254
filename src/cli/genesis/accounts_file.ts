import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { onDisk } from '../../system/system_error.ts';
import { accountName } from '../../values/account_name.ts';
import { reservedAccounts } from '../../values/reserved_accounts.ts';
import { INIT_MINER_ACCOUNT } from '../../state/parameters.ts';
import { publicKey } from '../../values/public_key.ts';
import { toMillionths } from './units.ts';

/** An account as a person lists it. */
export interface ListedAccount {
  readonly name: string;
  /** Public key as text; undefined where a key is to be made. */
  readonly key: string | undefined;
  /** Millionths. */
  readonly balance: bigint;
  readonly isWitness: boolean;
}

/** The format of a list of accounts, for a person who types one. */
export const ACCOUNTS_FORMAT =
  'one account a line: name,key,balance in coins, and witness behind those that are to make blocks; without a key one is made';

const LARGEST_FILE = 16 * 1024 * 1024;
const COLUMNS = ['name', 'key', 'balance', 'witness'] as const;
const FEWEST_COLUMNS = 3;

/** The accounts in a CSV file. Fault `configuration` that names the line. */
export function readAccounts(path: string, encoding: EncodingOptions): readonly ListedAccount[] {
  const text = onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8'));
  if (text.length > LARGEST_FILE) fail(path, `more than ${LARGEST_FILE} characters`);
  return parseAccounts(path, text, encoding);
}

function parseAccounts(path: string, text: string, encoding: EncodingOptions): readonly ListedAccount[] {
  const seen = new Map<string, number>();
  const found: ListedAccount[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const cells = splitCells(line);
    if (line.trim() === '' || line.startsWith('#') || (index === 0 && isHead(cells))) continue;
    const account = onLine(path, index + 1, () => parseAccount(cells, encoding));
    const before = seen.get(account.name);
    if (before !== undefined) fail(`${path}, line ${index + 1}`, `${account.name} stands in line ${before} already`);
    seen.set(account.name, index + 1);
    found.push(account);
  }
  return found;
}

function splitCells(line: string): string[] {
  return line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
}

function isHead(cells: readonly string[]): boolean {
  return cells.length >= FEWEST_COLUMNS && cells.every((cell, k) => cell.toLowerCase() === COLUMNS[k]);
}

function onLine<T>(path: string, line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return fail(`${path}, line ${line}`, error.message);
    throw error;
  }
}

function parseAccount(cells: readonly string[], encoding: EncodingOptions): ListedAccount {
  const [name = '', key = '', coins = '', mark = ''] = cells;
  if (cells.length < FEWEST_COLUMNS || cells.length > COLUMNS.length)
    refuse(`${ACCOUNTS_FORMAT} expected, got ${cells.length} cells`);
  const read = accountName.fromJson(name, encoding);
  if (read === '') refuse('a name expected, got nothing');
  if (read !== INIT_MINER_ACCOUNT && reservedAccounts.includes(read))
    refuse(`every chain has the account ${read} already`);
  if (key !== '') publicKey.fromJson(key, encoding);
  const balance = toMillionths(coins.replace(new RegExp(` ${encoding.coinSymbol}$`), ''));
  if (balance === undefined) refuse(`a balance such as 1000 or 0.5 expected, got ${JSON.stringify(coins)}`);
  if (!['', 'witness'].includes(mark))
    refuse(`witness or nothing expected behind the balance, got ${JSON.stringify(mark)}`);
  const isWitness = mark === 'witness' || read === INIT_MINER_ACCOUNT;
  return { name: read, key: key === '' ? undefined : key, balance: BigInt(String(balance)), isWitness };
}

function refuse(sentence: string): never {
  throw new Refusal('bad_accounts', sentence);
}

function fail(where: string, why: string): never {
  throw new Fault('configuration', `${where}: ${why}`);
}
