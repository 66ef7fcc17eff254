import type { Client } from 'pg';
import type { from as CopyFromText } from 'pg-copy-streams';
import { errorMessage } from '../../base/error_message.ts';
import { Fault } from '../../base/fault.ts';

type CopyFrom = typeof CopyFromText;

/**
 * The server can't be reached, has ended the connection or takes nothing now: worth another attempt. Any other Fault is
 * not.
 */
class LostDatabase extends Fault {
  constructor(message: string, cause?: unknown) {
    super('database_away', message, cause);
  }
}

/**
 * One connection to a PostgreSQL database. A call throws Fault `database_away` when that is gone, another one when the
 * server refuses.
 */
export class Database {
  readonly #client: Client;
  readonly #copyFrom: CopyFrom;
  #hasEnded = false;
  #isClosing = false;
  #lost: (error: Fault) => void = () => undefined;

  private constructor(client: Client, copyFrom: CopyFrom) {
    this.#client = client;
    this.#copyFrom = copyFrom;
    client.once('end', () => {
      this.#hasEnded = true;
      if (!this.#isClosing) this.#lost(new LostDatabase(ENDED));
    });
  }

  /** Calls `lost` when the server ends the connection, also while nothing is asked. */
  onLost(lost: (error: Fault) => void): void {
    this.#lost = lost;
    if (this.#hasEnded) lost(new LostDatabase(ENDED));
  }

  /**
   * Connects; `url` is such as postgres://user@host/database, and never shown with its password. `passwordAdvice` is
   * told with a password that is missing or wrong.
   */
  static async connect(url: string, passwordAdvice = ''): Promise<Database> {
    const copyStreams = await import('pg-copy-streams');
    const client = await newClient(url);
    // What happens between two queries shows at the next one.
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      // The server would wait a minute for a password, and the process for the server.
      client.end().catch(() => undefined);
      throw toFailure(error, 'cannot connect to PostgreSQL', passwordAdvice);
    }
    return new Database(client, copyStreams.from);
  }

  async query<Row extends object = object>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      const { rows } = await this.#whileConnected(
        values.length === 0 ? this.#client.query<Row>(sql) : this.#client.query<Row>(sql, [...values]),
      );
      return rows;
    } catch (error) {
      throw toFailure(error, 'PostgreSQL refuses');
    }
  }

  /** Adds rows in the text format of COPY. */
  async copy(target: string, rows: Uint8Array): Promise<void> {
    try {
      const written = new Promise<void>((resolve, reject) => {
        const stream = this.#client.query(this.#copyFrom(`COPY ${target} FROM STDIN`));
        stream.on('finish', resolve);
        stream.on('error', reject);
        stream.end(rows);
      });
      await this.#whileConnected(written);
    } catch (error) {
      throw toFailure(error, `PostgreSQL refuses rows of ${target}`);
    }
  }

  /** Carries the steps out together or not at all. */
  async transaction<T>(steps: () => Promise<T>): Promise<T> {
    await this.query('BEGIN');
    try {
      const result = await steps();
      await this.query('COMMIT');
      return result;
    } catch (error) {
      await this.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#whileConnected(this.#client.end()).catch(() => undefined);
  }

  /** A connection that is lost at a bad moment leaves some calls of the library without an answer. */
  async #whileConnected<T>(answer: Promise<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const lose = (): void => reject(new LostDatabase(ENDED));
      const settled = (): void => void this.#client.off('end', lose);
      answer.then(resolve, reject).finally(settled);
      if (this.#hasEnded) lose();
      else this.#client.once('end', lose);
    });
  }
}

const ENDED = 'the connection with PostgreSQL has ended';

/** Longer than any server takes that is there. */
const OPEN_MS = 10_000;

async function newClient(url: string): Promise<Client> {
  const { default: pg } = await import('pg');
  try {
    return new pg.Client({
      connectionString: url,
      application_name: 'pharos index',
      keepAlive: true,
      connectionTimeoutMillis: OPEN_MS,
    });
  } catch (error) {
    // Its files of certificates are read here.
    if (error instanceof Fault) throw error;
    throw new Fault('configuration', `--postgres: ${errorMessage(error)}`, error);
  }
}

/**
 * Codes of a server that is starting, stopping, out of connections, memory or room, that gave up one of two
 * transactions, or a statement.
 */
const PASSING = /^(?:08|57|53|40|58)/;
/** The server is a standby, or its operator lets nobody write for a while. */
const READ_ONLY = '25006';
/** The role may not do that. */
const DENIED = '42501';
/** The words of the library. */
const NO_PASSWORD = /client password must be a/;
const WRONG_PASSWORD = '28P01';
/** Something of that name is there, or a column is not: the tables are not those that pharos index made. */
const OTHER_TABLES = new Set(['42P07', '42703', '42P01', '42809', '42710']);
/** Codes of the system; a host that is unknown may only be unknown now, as one of a container that has not started. */
const UNREACHABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|ENOENT|ENOTFOUND)/;

function toFailure(error: unknown, what: string, passwordAdvice = ''): Error {
  if (error instanceof LostDatabase) return error;
  if (!(error instanceof Error)) return new LostDatabase(`${what}: ${String(error)}`);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const said = error instanceof AggregateError && error.message === '' ? String(error.errors[0]) : error.message;
  const text = `${what}: ${NO_PASSWORD.test(said) ? 'it asks for a password, and none is known: PGPASSWORD or ~/.pgpass may have it' : said}`;
  if (PASSING.test(code) || UNREACHABLE.test(code) || /terminated|not queryable|timeout|ended/.test(said))
    return new LostDatabase(text, error);
  if (code === READ_ONLY)
    return new LostDatabase(`${text}: it is a standby, or lets nobody write; name the primary, or wait`, error);
  if (code === DENIED)
    return new Fault(
      'configuration',
      `${text}: the role has to own what is written, and be one that may create tables`,
      error,
    );
  const isSettings =
    /^(?:28|3D|3F|ERR_TLS|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|CERT_)/.test(code) || OTHER_TABLES.has(code);
  const isPassword = passwordAdvice !== '' && (NO_PASSWORD.test(said) || code === WRONG_PASSWORD);
  const advice = isPassword ? `: ${passwordAdvice}` : databaseAdvice(code, said);
  return new Fault(
    isSettings || code === '' ? 'configuration' : 'runtime',
    `${text}${code === '' ? '' : ` (${code})`}${advice}`,
    error,
  );
}

function databaseAdvice(code: string, said: string): string {
  if (OTHER_TABLES.has(code))
    return ': the database has tables that are not of pharos index; give the chain a database of its own (createdb NAME)';
  if (code === '28000' && said.includes('no encryption')) return ': add ?sslmode=require to the address';
  if (/does not support SSL/.test(said)) return ': leave sslmode out, or turn TLS on there';
  return '';
}
