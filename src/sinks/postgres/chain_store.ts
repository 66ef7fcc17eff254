import { Fault } from '../../base/fault.ts';
import { INIT_MINER_ACCOUNT, MINERS_ACCOUNT, NULL_ACCOUNT, TEMP_ACCOUNT } from '../../values/reserved_accounts.ts';
import { parseAsset } from '../../values/asset.ts';
import type { GenesisBalance, SourceChain } from '../chain_source.ts';
import type { ChangedAccount, Holding } from './balances.ts';
import { parseAmount, amountText, CopyText } from './copy_text.ts';
import type { BlockRows } from './block_rows.ts';
import { utc } from './block_rows.ts';
import type { Database } from './database.ts';
import type { BookedEscrow } from './escrow_book.ts';
import { blockTables, migrations } from './schema/index.ts';
import { UnreadableRecord, type RecordPlace } from '../unreadable_record.ts';

/** Such as `COPY documents, line 3, column json: "…"`; behind the context of a trigger. */
const COPY_LINE = /COPY \w+, line (\d+)(?:, column (\w+))?/;
/** Classes of codes about the data at hand: what it is, which constraint it breaks, how large it is. */
const ABOUT_DATA = /^(?:22|23|54|P0)/;
const LINE_FEED = 0x0a;

/** Returns the row of COPY that PostgreSQL refused, with its place on the chain; undefined for another error. */
export function refusedRow(error: unknown, table: string, rows: Uint8Array): UnreadableRecord | undefined {
  if (!(error instanceof Fault)) return undefined;
  const { code, where } = errorDetails(error.cause);
  const [, line, column] = COPY_LINE.exec(where) ?? [];
  if (line === undefined || !ABOUT_DATA.test(code)) return undefined;
  return new UnreadableRecord(recordPlace(table, rowLine(rows, Number(line)), column), error.message, error);
}

function recordPlace(table: string, row: string, column: string | undefined): RecordPlace {
  const cells = row.split('\t');
  const [block, op] = (table === 'account_history' ? cells.slice(1) : cells).map(Number);
  const member = column === undefined ? table : `${table}.${column}`;
  if (table === 'blocks') return { block, member };
  return table === 'transactions' ? { block, transaction: op, member } : { block, op_in_block: op, member };
}

/** That line, counted from 1: the format of COPY writes a line feed within a text as `\n`. */
function rowLine(rows: Uint8Array, number: number): string {
  let start = 0;
  for (let line = 1; line < number; line++) start = rows.indexOf(LINE_FEED, start) + 1;
  const end = rows.indexOf(LINE_FEED, start);
  return Buffer.from(rows.subarray(start, end < 0 ? rows.length : end)).toString();
}

function errorDetails(cause: unknown): { readonly code: string; readonly where: string } {
  const read = (name: string): string => {
    const value: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return { code: read('code'), where: read('where') };
}

/** The progress of a database. */
export interface Progress {
  readonly number: number;
  readonly id: string;
  readonly timestamp: string;
  readonly irreversible: number;
  /** Undefined before the first block. */
  readonly position: string | undefined;
}

/** Any number will do that no other program takes: one indexer writes a database at a time. */
const LOCK = 7_224_906_412;

/** False while another indexer has the database; PostgreSQL gives it free when that one's connection has ended. */
export async function takeLock(database: Database): Promise<boolean> {
  const [row] = await database.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS taken`);
  return row?.taken === true;
}

/**
 * Settings of the session: roles and servers may have values that suit people with queries, and not a writer of hours.
 */
const SESSION = `
SET client_min_messages = warning;
SELECT set_config(name, '0', false) FROM pg_settings
WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout');
SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals);
SET tcp_keepalives_idle = 10;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3;
SET synchronous_commit = off`;

/**
 * Sets the connection up. Long documents are compressed in a fraction of the time by lz4, where the server has it. What
 * a crash of the server takes back is indexed again, because the position goes back with it; a connection that nobody
 * holds any more is given up, and the lock with it, within half a minute. Fault where the database can't hold all
 * texts.
 */
export async function prepareSession(database: Database): Promise<void> {
  await database.query(SESSION);
  const [row] = await database.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  if (row?.encoding !== 'UTF8')
    throw new Fault(
      'configuration',
      `the database has the encoding ${row?.encoding}, which does not have all characters of a chain's texts: make one with createdb --encoding UTF8 --template template0 NAME`,
    );
}

/**
 * Brings the schema to the version of this program. Fault where the database is of a later one, or has other tables of
 * these names.
 */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async () => {
    await database.query(
      `CREATE TABLE IF NOT EXISTS schema_versions (version integer PRIMARY KEY, about text NOT NULL, applied timestamptz NOT NULL DEFAULT now());
       COMMENT ON TABLE schema_versions IS 'Steps by which these tables came to be; pharos index adds missing ones when it starts.';
       COMMENT ON COLUMN schema_versions.version IS 'number of the step';
       COMMENT ON COLUMN schema_versions.about IS 'what it did';
       COMMENT ON COLUMN schema_versions.applied IS 'when'`,
    );
    const rows = await database.query<{ version: number }>('SELECT version FROM schema_versions');
    const version = Math.max(0, ...rows.map((row) => row.version));
    const newest = migrations.at(-1)?.version ?? 0;
    if (version > newest)
      throw new Fault(
        'configuration',
        `the database has schema version ${version}, this program knows ${newest}: use the newer pharos that made it`,
      );
    for (const step of migrations.filter((each) => each.version > version)) {
      await database.query(step.sql);
      await database.query('INSERT INTO schema_versions (version, about) VALUES ($1, $2)', [step.version, step.about]);
    }
  });
}

interface ChainRow {
  readonly chain_id: string;
  readonly coin_symbol: string;
  readonly vests_symbol: string;
  readonly block_interval_seconds: number;
  readonly vesting_withdraw_intervals: number;
  readonly vesting_withdraw_interval_seconds: number;
  readonly genesis_time: string | null;
  readonly key_prefix: string | null;
  readonly constants_prefix: string | null;
  readonly is_private_net: boolean | null;
  readonly vesting_withdraw_rounds_up: boolean | null;
}

/**
 * Reads the chain that the database has noted; undefined when it is empty, or was made by an earlier version that noted
 * less.
 */
export async function readChain(database: Database): Promise<SourceChain | undefined> {
  const [row] = await database.query<ChainRow>(
    `SELECT *, ${timeExpression('genesis_time')} AS genesis_time FROM chain`,
  );
  if (row === undefined) return undefined;
  const {
    genesis_time: genesisTime,
    key_prefix: keyPrefix,
    constants_prefix: word,
    is_private_net: isPrivateNet,
  } = row;
  const { vesting_withdraw_rounds_up: vestingWithdrawRoundsUp } = row;
  if (
    genesisTime === null ||
    keyPrefix === null ||
    word === null ||
    isPrivateNet === null ||
    vestingWithdrawRoundsUp === null
  )
    return undefined;
  return {
    ...{
      chainId: row.chain_id,
      coinSymbol: row.coin_symbol,
      vestsSymbol: row.vests_symbol,
      keyPrefix,
      coinName: word,
      isPrivateNet,
      genesisTime,
    },
    blockIntervalSeconds: row.block_interval_seconds,
    vestingWithdrawIntervals: row.vesting_withdraw_intervals,
    vestingWithdrawIntervalSeconds: row.vesting_withdraw_interval_seconds,
    vestingWithdrawRoundsUp,
  };
}

/** A column as the API writes times. */
function timeExpression(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/**
 * Returns the indexed progress; begins with the genesis when there is none. Fault where the database is of another
 * chain.
 */
export async function openProgress(
  database: Database,
  chain: SourceChain,
  genesis: () => Promise<readonly GenesisBalance[]>,
): Promise<Progress> {
  const [row] = await database.query<{
    chain_id: string;
    number: number;
    id: string;
    irreversible: number;
    position: string | null;
    time: string | null;
  }>(
    `SELECT chain_id, head_block_number AS number, head_block_id AS id, last_irreversible_block_num AS irreversible, position,
            ${timeExpression('b."timestamp"')} AS time
     FROM chain LEFT JOIN blocks b ON b.number = head_block_number`,
  );
  if (row === undefined) {
    await writeGenesis(database, chain, await genesis());
    return { number: 0, id: '', timestamp: chain.genesisTime, irreversible: 0, position: undefined };
  }
  const { chain_id, number, id, irreversible, position, time } = row;
  if (chain_id !== chain.chainId)
    throw new Fault(
      'configuration',
      `the database has chain ${chain_id}, the source is of ${chain.chainId}: give each chain a database of its own`,
    );
  await completeChain(database, chain);
  return { number, id, irreversible, position: position ?? undefined, timestamp: time ?? chain.genesisTime };
}

/** Notes what an earlier version has not. */
async function completeChain(database: Database, chain: SourceChain): Promise<void> {
  const { genesisTime, keyPrefix, coinName: word, isPrivateNet, vestingWithdrawRoundsUp } = chain;
  await database.query(
    'UPDATE chain SET genesis_time = $1, key_prefix = $2, constants_prefix = $3, is_private_net = $4 WHERE is_private_net IS NULL',
    [utc(genesisTime), keyPrefix, word, isPrivateNet],
  );
  await database.query('UPDATE chain SET vesting_withdraw_rounds_up = $1 WHERE vesting_withdraw_rounds_up IS NULL', [
    vestingWithdrawRoundsUp,
  ]);
}

/** The id of an indexed block. */
export async function idOfBlock(database: Database, number: number): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>('SELECT id FROM blocks WHERE number = $1', [number]);
  return row?.id;
}

async function writeGenesis(
  database: Database,
  chain: SourceChain,
  balances: readonly GenesisBalance[],
): Promise<void> {
  const all = new Map([INIT_MINER_ACCOUNT, MINERS_ACCOUNT, NULL_ACCOUNT, TEMP_ACCOUNT].map((name) => [name, 0n]));
  for (const { name, balance } of balances) all.set(name, parseAsset(balance)?.amount ?? 0n);
  const [accounts, history] = [new CopyText(), new CopyText()];
  for (const [k, [name, coins]] of [...all].entries()) {
    accounts.add(name, null, 0, null, coins, 0n, true);
    if (coins > 0n) history.add(name, 0, k, coins, 0n, coins, 0n, true);
  }
  await database.transaction(async () => {
    await database.query(
      `INSERT INTO chain (chain_id, coin_symbol, vests_symbol, block_interval_seconds, vesting_withdraw_intervals, vesting_withdraw_interval_seconds,
                          head_block_number, head_block_id, last_irreversible_block_num)
       VALUES ($1, $2, $3, $4, $5, $6, 0, '', 0)`,
      [
        ...[chain.chainId, chain.coinSymbol, chain.vestsSymbol, chain.blockIntervalSeconds],
        ...[chain.vestingWithdrawIntervals, chain.vestingWithdrawIntervalSeconds],
      ],
    );
    await completeChain(database, chain);
    await database.copy('accounts', accounts.bytes);
    await database.copy('account_history', history.bytes);
    await database.query(`INSERT INTO witness_changes VALUES (0, 0, $1, $2, 'genesis', '', NULL, false)`, [
      utc(chain.genesisTime),
      INIT_MINER_ACCOUNT,
    ]);
  });
}

/** Reads the balances of these accounts; those that don't exist are missing. */
export async function readHoldings(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, Holding>> {
  if (names.length === 0) return new Map();
  const rows = await database.query<{ name: string; coins: string; shares: string; exact: boolean }>(
    'SELECT name, balance AS coins, vesting_shares AS shares, is_exact AS exact FROM accounts WHERE name = ANY($1)',
    [names],
  );
  return new Map(
    rows.map(({ name, coins, shares, exact }) => [
      name,
      { coins: parseAmount(coins), shares: parseAmount(shares), isExact: exact },
    ]),
  );
}

interface EscrowRow {
  readonly from: string;
  readonly id: string;
  readonly to: string;
  readonly agent: string;
  readonly coins: string;
  readonly fee: string;
  readonly to_approved: boolean;
  readonly agent_approved: boolean;
  readonly disputed: boolean;
  readonly deadline: number;
  readonly expiration: number;
  readonly block: number;
  readonly op: number;
}

/** The escrows that exist behind the last block. */
export async function readEscrows(database: Database): Promise<readonly BookedEscrow[]> {
  const rows = await database.query<EscrowRow>(
    `SELECT DISTINCT ON (from_account, escrow_id) from_account AS from, escrow_id AS id, to_account AS to, agent, coin_balance AS coins, pending_fee AS fee,
            to_approved, agent_approved, disputed, extract(epoch FROM ratification_deadline)::float8 AS deadline,
            extract(epoch FROM escrow_expiration)::float8 AS expiration, is_open,
            opened.block_number AS block, opened.op_in_block AS op
     FROM escrow_changes e
     CROSS JOIN LATERAL (
       SELECT o.block_number, o.op_in_block FROM operations o
       JOIN escrow_changes x USING (block_number, op_in_block)
       WHERE o.kind = 'escrow_transfer' AND x.from_account = e.from_account AND x.escrow_id = e.escrow_id
       ORDER BY o.block_number DESC, o.op_in_block DESC LIMIT 1
     ) opened
     ORDER BY from_account, escrow_id, e.block_number DESC, e.op_in_block DESC`,
  );
  return rows.filter((row) => 'is_open' in row && row.is_open === true).map(openEscrow);
}

function openEscrow({
  from,
  id,
  to,
  agent,
  coins,
  fee,
  to_approved,
  agent_approved,
  disputed,
  ...times
}: EscrowRow): BookedEscrow {
  return {
    ...{
      from,
      escrowId: Number(id),
      to,
      agent,
      coinBalance: parseAmount(coins),
      pendingFee: parseAmount(fee),
      disputed,
    },
    ...{ toApproved: to_approved, agentApproved: agent_approved },
    ...{ ratificationDeadline: times.deadline, escrowExpiration: times.expiration, openedAt: [times.block, times.op] },
  };
}

/**
 * Adds blocks and what follows from them, and how far the database is then: all of it or nothing. `head` is the last
 * block of the source.
 */
export async function writeBatch(
  database: Database,
  rows: BlockRows,
  changed: readonly ChangedAccount[],
  to: Progress,
  head: number,
): Promise<void> {
  await database.transaction(async () => {
    for (const [table, { bytes, count }] of Object.entries(rows.tables))
      if (count > 0) await copyRows(database, table, bytes);
    await putAccounts(database, changed);
    await putProgress(database, to, head);
  });
}

async function copyRows(database: Database, table: string, bytes: Uint8Array): Promise<void> {
  try {
    await database.copy(table, bytes);
  } catch (error) {
    throw refusedRow(error, table, bytes) ?? error;
  }
}

async function putAccounts(database: Database, changed: readonly ChangedAccount[]): Promise<void> {
  if (changed.length === 0) return;
  await database.query(
    `INSERT INTO accounts (name, created, created_block, creator, balance, vesting_shares, is_exact)
     SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::integer[], $4::text[], $5::numeric[], $6::numeric[], $7::boolean[])
     ON CONFLICT (name) DO UPDATE SET balance = excluded.balance, vesting_shares = excluded.vesting_shares, is_exact = excluded.is_exact`,
    [
      changed.map(({ name }) => name),
      changed.map(({ created }) => created),
      changed.map(({ createdBlock }) => createdBlock),
      changed.map(({ creator }) => creator),
      changed.map(({ coins }) => amountText(coins)),
      changed.map(({ shares }) => amountText(shares)),
      changed.map(({ isExact }) => isExact),
    ],
  );
}

/** Notes how far the database is, which has to be true of its rows. */
export async function putProgress(
  database: Database,
  { number, id, irreversible, position }: Progress,
  head: number,
): Promise<void> {
  await database.query(
    `UPDATE chain SET head_block_number = $1, head_block_id = $2, last_irreversible_block_num = greatest(last_irreversible_block_num, $3),
                      position = $4, source_head_block_num = $5, updated = now()`,
    [number, id, irreversible, position ?? null, head],
  );
}

/** Takes all blocks above one back, irreversible ones too, and says how far the database is then. */
export async function undoBlocks(database: Database, number: number, position: string): Promise<void> {
  await database.transaction(async () => {
    await database.query('DELETE FROM accounts WHERE created_block > $1', [number]);
    await database.query(
      `UPDATE accounts SET balance = coalesce(h.balance, 0), vesting_shares = coalesce(h.vesting_shares, 0), is_exact = coalesce(h.is_exact, true)
       FROM (SELECT DISTINCT account FROM account_history WHERE block_number > $1) touched
       LEFT JOIN LATERAL (
         SELECT balance, vesting_shares, is_exact FROM account_history h WHERE h.account = touched.account AND block_number <= $1
         ORDER BY block_number DESC, op_in_block DESC LIMIT 1
       ) h ON true
       WHERE accounts.name = touched.account`,
      [number],
    );
    for (const [table, column] of Object.entries(blockTables))
      await database.query(`DELETE FROM ${table} WHERE ${column} > $1`, [number]);
    await database.query(
      `UPDATE chain SET head_block_number = $1, head_block_id = coalesce((SELECT id FROM blocks WHERE number = $1), ''), position = $2,
                        last_irreversible_block_num = least(last_irreversible_block_num, $1), updated = now()`,
      [number, position],
    );
  });
}
