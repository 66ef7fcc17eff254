import { owedShares, protectionPercent } from '../state/dilution_protection.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { accounts } from '../state/tables/account.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { escrows } from '../state/tables/escrow.ts';
import { witnesses } from '../state/tables/witness.ts';
import type { CommittedRows } from '../storage/rows.ts';

const EVERYTHING = { limit: 1_000_000_000 } as const; // witnesses and escrows are few

/**
 * Contradictions in the state, as texts; empty when there are none (chain_rules.md#sums-that-always-hold). Reads every
 * account, witness and escrow, so it is for tests and for checking a suspect disk, not for every block.
 */
export function invariantViolations(rows: CommittedRows, parameters: ChainParameters): string[] {
  if (parameters.isPrivateNet) return [];
  const violations: string[] = [];
  const expect = (what: string, actual: bigint, expected: bigint): void => {
    if (actual !== expected) violations.push(`${what}: ${actual}, expected ${expected}`);
  };
  const { current_supply, total_vesting_shares } = rows.only(dynamicGlobalProperties);
  const held = holdings(rows, parameters);
  const model = rows.only(economicModel);
  const pools =
    model.interest_pool_from_coinbase +
    model.interest_pool_from_fees +
    model.mining_pool_from_coinbase +
    model.mining_pool_from_fees;
  expect('current supply', current_supply, held.balances + held.vesting + inEscrow(rows));
  expect('total vesting shares', total_vesting_shares, held.vesting);
  const all = current_supply + pools + model.promotion_pool + model.burn_pool;
  expect('all coins', all, parameters.genesis.total_supply + model.protection_issued);
  const claimed = held.vesting + held.owed;
  if (protectionPercent(parameters) > 0 && claimed > model.protection_bound)
    violations.push(`vesting shares and what protection owes: ${claimed}, bound ${model.protection_bound}`);
  for (const { owner, votes } of rows.rows(witnesses, EVERYTHING)) {
    if (votes < 0n || votes > current_supply)
      violations.push(`votes for ${owner}: ${votes}, the supply is ${current_supply}`);
  }
  return violations;
}

const PAGE = 1000; // accounts read at once: there may be millions

interface Holdings {
  readonly balances: bigint;
  readonly vesting: bigint;
  readonly owed: bigint;
}

function holdings(rows: CommittedRows, parameters: ChainParameters): Holdings {
  let [balances, vesting, owed] = [0n, 0n, 0n];
  for (let page = rows.rows(accounts, { limit: PAGE }); page.length > 0;) {
    for (const account of page) {
      balances += account.balance;
      vesting += account.vesting_shares;
      owed += owedShares(rows, parameters, account);
    }
    const last = page[PAGE - 1];
    page = last === undefined ? [] : rows.rows(accounts, { after: last.name, limit: PAGE });
  }
  return { balances, vesting, owed };
}

function inEscrow(rows: CommittedRows): bigint {
  return rows
    .rows(escrows, EVERYTHING)
    .reduce((sum, { coin_balance, pending_fee }) => sum + coin_balance + pending_fee, 0n);
}
