import assert from 'node:assert/strict';
import type { CallChain } from './every_kind.ts';
import type { PostgresServer } from './postgres.ts';

/** The node's balances of each account behind each of its heads. */
export class HeldOverTime {
  readonly #call: CallChain;
  /** By id of block. */
  readonly #said = new Map<string, string>();

  constructor(call: CallChain) {
    this.#call = call;
  }

  /** Asks the node, which makes no blocks meanwhile. */
  async note(): Promise<void> {
    const { head_block_id } = await this.#call('database_api.get_dynamic_global_properties');
    this.#said.set(String(head_block_id), await this.now());
  }

  /** Accounts as lines, by name. */
  async now(): Promise<string> {
    const { accounts } = await this.#call('database_api.list_accounts', { start: null, limit: 1000, order: 'by_name' });
    assert.ok(Array.isArray(accounts));
    return accounts
      .map(({ name, balance, vesting_shares }: Record<string, string>) => `${name}|${balance}|${vesting_shares}`)
      .toSorted()
      .join('\n');
  }

  /** Fails unless a database says the same, now and of each head that is still on the chain. */
  async compare(server: PostgresServer, database: string): Promise<void> {
    assert.equal(await server.query(database, NOW), await this.now());
    const told = new Map<string, string>();
    for (const line of (await server.query(database, OVER_TIME)).split('\n')) {
      const [id = '', ...held] = line.split('|');
      told.set(id, `${told.has(id) ? `${told.get(id)}\n` : ''}${held.join('|')}`);
    }
    const common = [...this.#said].filter(([id]) => told.has(id));
    assert(common.length > this.#said.size / 4, `${common.length} of ${this.#said.size} heads are on the chain`);
    for (const [id, said] of common) assert.equal(told.get(id), said, `behind block ${id}`);
  }
}

const NOW = `SELECT name, balance || ' COIN', vesting_shares || ' VESTS' FROM accounts ORDER BY name COLLATE "C"`;

const OVER_TIME = `SELECT b.id, a.name, coalesce(h.balance, 0.000000) || ' COIN', coalesce(h.vesting_shares, 0.000000) || ' VESTS'
  FROM blocks b JOIN accounts a ON a.created_block <= b.number
  LEFT JOIN LATERAL (
    SELECT balance, vesting_shares FROM account_history h WHERE h.account = a.name AND h.block_number <= b.number
    ORDER BY block_number DESC, op_in_block DESC LIMIT 1
  ) h ON true
  ORDER BY b.number, a.name COLLATE "C"`;
