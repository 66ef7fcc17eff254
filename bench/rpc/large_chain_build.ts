import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../src/base/assert.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { devAccounts } from '../../src/dev_chain/dev_genesis.ts';
import { accountCreate } from '../../src/operations/account_create.ts';
import { customJson } from '../../src/operations/custom_json.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { nameFromSeed } from '../../src/values/account_name.ts';
import { keyAuthority } from '../../src/values/authority.ts';
import type { PublicKey } from '../../src/values/public_key.ts';
import { row, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { grouped } from '../table.ts';

/**
 * The contents of a large chain. Each transfer makes two entries of histories; creating accounts makes more, which
 * don't count.
 */
export interface ChainSizes {
  readonly accounts: number;
  readonly entries: number;
  readonly documents: number;
}

/** Sender or recipient of half of all transfers and of all documents. */
export const BUSY = 'alice';
/** The application of all documents. */
export const APPLICATION = 1n;

const IN_A_BLOCK = 10_000;
/** As many as verifiers hand over at once. */
const BATCH = 1024;
/** Blocks before the first account: a round until large ones are in force. */
const FIRST_BLOCKS = 60;
const BLOCK_SECONDS = 3;
const CREATION_FEE = 1_000_000n;
/** The other party of each transfer: a stride without a common divisor visits the accounts out of their order. */
const STRIDE = 7_919;
const SIZES_FILE = 'sizes';

/** The name of an account of the chain, by its number from 0. */
export function accountNumbered(number: number): string {
  return nameFromSeed(`account ${number}`);
}

/** A key of that account; nobody knows its secret. */
export function keyNumbered(number: number, role: 'owner' | 'active' | 'memo'): PublicKey {
  return `02${Buffer.from(sha256(Buffer.from(`${role} ${number}`))).toString('hex')}`;
}

/** The sizes of the chain that lies in the folder, where one was built to its end. */
export function builtSizes(dataFolder: string): ChainSizes | undefined {
  const file = join(dataFolder, SIZES_FILE);
  return existsSync(file) ? readSizes(readFileSync(file, 'utf8')) : undefined;
}

function readSizes(text: string): ChainSizes {
  const [accounts = 0, entries = 0, documents = 0] = text.split(' ').map(Number);
  return { accounts, entries, documents };
}

/**
 * Lets the state machine build the chain in a data folder of `pharos dev`: all checks but signatures, blocks not
 * synced. `blocksBehind` empty ones make what is before them irreversible.
 */
export async function buildLargeChain(dataFolder: string, sizes: ChainSizes, blocksBehind = 0): Promise<Row[]> {
  mkdirSync(dataFolder, { recursive: true });
  const transfers = Math.ceil(sizes.entries / 2);
  const blocks = [sizes.accounts, transfers, sizes.documents].reduce(
    (sum, count) => sum + Math.ceil(count / IN_A_BLOCK),
    FIRST_BLOCKS + blocksBehind,
  );
  const now = Math.trunc(Date.now() / 1000);
  const dev = await DevChain.openDevChain(dataFolder, now - BLOCK_SECONDS * blocks);
  dev.voteForLargeBlocks();
  const rows = [
    fill(dev, 'accounts created', 'account_create', sizes.accounts, (number) => creation(dev, number)),
    fill(dev, 'transfers among them', 'transfer', transfers, (number) => payment(dev, number, sizes.accounts)),
    fill(dev, 'documents', 'custom_json', sizes.documents, (number) => document(dev, number, sizes.accounts)),
  ];
  for (let block = 0; block < blocksBehind; block++) dev.seal();
  await dev.close({ keep: true });
  writeFileSync(join(dataFolder, SIZES_FILE), `${sizes.accounts} ${sizes.entries} ${sizes.documents}`);
  return rows;
}

/** `count` transactions in blocks of 10 000. */
function fill(
  dev: DevChain,
  name: string,
  counted: string,
  count: number,
  make: (number: number) => VerifiedTransaction,
): Row {
  const before = process.cpuUsage();
  for (let first = 0; first < count; first += IN_A_BLOCK) {
    const end = Math.min(first + IN_A_BLOCK, count);
    for (let from = first; from < end; from += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, end - from) }, (_, index) => make(from + index));
      dev.chain.prefetch(batch);
      for (const transaction of batch) dev.chain.accept(transaction);
    }
    dev.seal();
  }
  const { user, system } = process.cpuUsage(before);
  const note = `blocks of ${grouped(IN_A_BLOCK)}, not synced, no signatures`;
  return row(
    `${grouped(count)} ${name}`,
    `${counted}, built, applied and sealed`,
    { work: Math.max(count, 1), cpuMicros: user + system },
    { note },
  );
}

function creation(dev: DevChain, number: number): VerifiedTransaction {
  const creator = devAccountNumbered(number);
  const body = {
    fee: { amount: CREATION_FEE, symbol: dev.parameters.coinSymbol },
    creator,
    name_seed: `account ${number}`,
    owner: keyAuthority(keyNumbered(number, 'owner')),
    active: keyAuthority(keyNumbered(number, 'active')),
    memo_key: keyNumbered(number, 'memo'),
    json_metadata: '',
  };
  return dev.verified(accountCreate.of(body), creator);
}

/** One account is busy as an exchange is, and most have a few entries. */
function payment(dev: DevChain, number: number, accounts: number): VerifiedTransaction {
  const from = number % 2 === 0 ? BUSY : devAccountNumbered(1 + (number % (devAccounts.length - 1)));
  const to = accountNumbered((number * STRIDE) % accounts);
  const { baseFees, coinSymbol: symbol } = dev.parameters;
  const fee = { amount: present(baseFees.get(symbol), 'the base fee'), symbol };
  return dev.verified(transfer.of({ fee, from, to, amount: { amount: 1n, symbol }, memo: `payment ${number}` }), from);
}

/** The busy account sends all; it also receives every second one. */
function document(dev: DevChain, number: number, accounts: number): VerifiedTransaction {
  const { baseFees, coinSymbol: symbol } = dev.parameters;
  const fee = { amount: present(baseFees.get(symbol), 'the base fee'), symbol };
  const recipients = [number % 2 === 0 ? BUSY : accountNumbered((number * STRIDE) % accounts)];
  const body = {
    fee,
    sender: BUSY,
    recipients,
    app_id: APPLICATION,
    json: `{"document":${number},"text":"${'x'.repeat(100)}"}`,
  };
  return dev.verified(customJson.of(body), BUSY);
}

function devAccountNumbered(number: number): string {
  return present(devAccounts[number % devAccounts.length], 'a development account');
}
