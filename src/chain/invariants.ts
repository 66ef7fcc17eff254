import type { ChainParameters } from '../state/parameters.ts';
import { accounts } from '../state/tables/account.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { economicModel } from '../state/tables/economic_model.ts';
import { escrows } from '../state/tables/escrow.ts';
import { witnesses } from '../state/tables/witness.ts';
import type { CommittedRows } from '../storage/rows.ts';

/**
 * What contradicts itself in the state, in words; empty when all is well (chain.md 10.8). Reads every account, witness and
 * escrow, so it is for tests and for whoever doubts a disk, not for every block.
 */
export function invariantViolations(rows: CommittedRows, parameters: ChainParameters): string[] {
  if (parameters.isPrivateNet) return [];
  const violations: string[] = [];
  const expect = (what: string, actual: bigint, expected: bigint): void => {
    if (actual !== expected) violations.push(`${what}: ${actual}, expected ${expected}`);
  };
  const { current_supply, total_vesting_shares } = rows.only(dynamicGlobalProperties);
  const held = holdings(rows);
  const model = rows.only(economicModel);
  const pools = model.interest_pool_from_coinbase + model.interest_pool_from_fees + model.mining_pool_from_coinbase + model.mining_pool_from_fees;
  expect('current supply', current_supply, held.balances + held.vesting + inEscrow(rows));
  expect('total vesting shares', total_vesting_shares, held.vesting);
  expect('all coins', current_supply + pools + model.promotion_pool + model.burn_pool, parameters.genesis.total_supply);
  for (const { owner, votes } of everyRow((after) => rows.rows(witnesses, { ...after, limit: PAGE }), ({ owner: name }) => name)) {
    if (votes < 0n || votes > current_supply) violations.push(`votes for ${owner}: ${votes}, the supply is ${current_supply}`);
  }
  return violations;
}

const PAGE = 1000; // rows read at once

function holdings(rows: CommittedRows): { readonly balances: bigint; readonly vesting: bigint } {
  let balances = 0n;
  let vesting = 0n;
  for (const { balance, vesting_shares } of everyRow((after) => rows.rows(accounts, { ...after, limit: PAGE }), ({ name }) => name)) {
    balances += balance;
    vesting += vesting_shares;
  }
  return { balances, vesting };
}

function inEscrow(rows: CommittedRows): bigint {
  let sum = 0n;
  const page = (after: { readonly after?: { readonly from: string; readonly escrow_id: number } }): ReturnType<typeof readEscrows> => readEscrows(rows, after);
  for (const { coin_balance, pending_fee } of everyRow(page, ({ from, escrow_id }) => ({ from, escrow_id }))) sum += coin_balance + pending_fee;
  return sum;
}

function readEscrows(rows: CommittedRows, after: { readonly after?: { readonly from: string; readonly escrow_id: number } }): { from: string; escrow_id: number; coin_balance: bigint; pending_fee: bigint }[] {
  return rows.rows(escrows, { ...after, limit: PAGE });
}

/** Walks a whole table page by page. */
function* everyRow<Key, Row>(page: (bounds: { readonly after?: Key }) => Row[], keyOf: (row: Row) => Key): Generator<Row> {
  let rows = page({});
  for (;;) {
    yield* rows;
    const last = rows[PAGE - 1];
    if (last === undefined) return;
    rows = page({ after: keyOf(last) });
  }
}
