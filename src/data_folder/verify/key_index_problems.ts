import type { PackedBlock } from '../../blocks/block.ts';
import { accountDelete } from '../../operations/account_delete.ts';
import { operationBody } from '../../operations/operation.ts';
import { resetAccount } from '../../operations/reset_account.ts';
import { authorityKeys } from '../../state/authorities.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { Rules } from '../../state/rules/index.ts';
import { accounts } from '../../state/tables/account.ts';
import { accountAuthorities } from '../../state/tables/account_authority.ts';
import { keyLookups } from '../../state/tables/key_lookup.ts';
import { walkEntries } from '../../storage/entries.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';
import { decodeRow } from '../../storage/row_bytes.ts';
import { View } from '../../storage/view.ts';
import type { AccountName } from '../../values/account_name.ts';

const CACHED_ROWS = 10_000;

/**
 * Compares the key index, which isn't covered by the state hash, with the authorities of the accounts. Where a chain's
 * index isn't updated by every operation (rule `complete_key_index`), accounts affected by such an operation, and those
 * of the genesis, are skipped: their index entries depend only on their past.
 */
export class KeyIndexProblems {
  readonly #reader: KeyValueReader;
  readonly #view: View;
  readonly #rules: Rules;
  readonly #unfollowed = new Set<AccountName>();

  constructor(reader: KeyValueReader, { rules }: ChainParameters) {
    this.#reader = reader;
    this.#view = new View(reader, CACHED_ROWS);
    this.#rules = rules;
  }

  /** Records the accounts for which the index was not updated in a block. */
  visit({ transactions }: PackedBlock): void {
    if (this.#rules.complete_key_index) return;
    for (const { transaction } of transactions) {
      for (const operation of transaction.operations) {
        const name =
          operationBody(accountDelete, operation)?.account ?? operationBody(resetAccount, operation)?.account_to_reset;
        if (name !== undefined) this.#unfollowed.add(name);
      }
    }
  }

  find(): string[] {
    return [...this.#missing(), ...this.#excess()];
  }

  *#missing(): Generator<string> {
    for (const { value } of walkEntries(this.#reader, accountAuthorities)) {
      const authorities = decodeRow(accountAuthorities, value);
      const { account } = authorities;
      if (!this.#follows(account)) continue;
      for (const key of authorityKeys(authorities, this.#rules)) {
        if (this.#view.get(keyLookups, { key, account }) === undefined)
          yield `key ${key} of account ${account} is missing in the key index`;
      }
    }
  }

  *#excess(): Generator<string> {
    for (const { value } of walkEntries(this.#reader, keyLookups)) {
      const { key, account } = decodeRow(keyLookups, value);
      const authorities = this.#view.get(accountAuthorities, account);
      const isRight =
        authorities !== undefined && (!this.#follows(account) || authorityKeys(authorities, this.#rules).has(key));
      if (!isRight) yield `the key index says that account ${account} has key ${key}, which it has not`;
    }
  }

  /** True when the index was updated with every change of the account's authorities. */
  #follows(account: AccountName): boolean {
    if (this.#rules.complete_key_index) return true;
    return !this.#unfollowed.has(account) && this.#view.get(accounts, account)?.mined === false;
  }
}
