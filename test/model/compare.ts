import { isDeepStrictEqual, inspect } from 'node:util';

import { ByteReader } from '../../src/codec/bytes.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { accountHistories } from '../../src/state/tables/account_history.ts';
import { blocks } from '../../src/state/tables/block.ts';
import type { CommittedRows } from '../../src/storage/rows.ts';
import { chainTables } from './chain_rows.ts';
import { documentDifferences } from './compare_documents.ts';
import { modelTables, type Row, type Rows } from './model_rows.ts';
import type { State } from './state.ts';

const ALL = { limit: 10_000_000 } as const;

/** Members of the chain's rows that only serve the chain. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  account: ['last_activity'],
  feed_history: ['id'],
  application: ['author_place'],
};

/** Lists in words the differences between the chain's committed rows and the model's after a block. */
export function differences(rows: CommittedRows, state: State, encoding: EncodingOptions): string[] {
  const [chain, model] = [chainTables(rows, state.parameters.minimumVestingSeconds), modelTables(state)];
  return [
    ...Object.entries(model).flatMap(([table, expected]) =>
      tableDifferences(table, chain[table] ?? new Map(), expected),
    ),
    ...virtualDifferences(rows, state, encoding),
    ...historyDifferences(rows, state),
    ...documentDifferences(rows, state),
  ];
}

function tableDifferences(table: string, found: Rows, expected: Rows): string[] {
  const keys = new Set([...found.keys(), ...expected.keys()]);
  return [...keys].flatMap((key) =>
    rowDifferences(`${table} ${key}`, found.get(key), expected.get(key), OWN[table] ?? []),
  );
}

function rowDifferences(
  row: string,
  found: Row | undefined,
  expected: Row | undefined,
  own: readonly string[],
): string[] {
  if (found === undefined || expected === undefined)
    return [
      `${row}: ${found === undefined ? 'the model alone has' : 'the chain alone has'} ${inspect(found ?? expected, { depth: 6 })}`,
    ];
  const members = new Set([...Object.keys(found).filter((member) => !own.includes(member)), ...Object.keys(expected)]);
  return [...members]
    .filter((member) => !isDeepStrictEqual(found[member], expected[member]))
    .map((member) => `${row}.${member}: chain ${shown(found[member])}, model ${shown(expected[member])}`);
}

const shown = (value: unknown): string => inspect(value, { depth: 6, breakLength: Infinity });

/** The virtual operations of the block, with all their members, and who paid for others. */
function virtualDifferences(rows: CommittedRows, state: State, encoding: EncodingOptions): string[] {
  const { number } = state.globals;
  // Those of hardforks in the first block are filed under block 0.
  const stored = (number === 1 ? [0, 1] : [number]).map((block) => rows.get(blocks, block));
  const found = stored.flatMap((row) =>
    (row?.virtual_operations ?? []).map(({ trx_in_block, op_in_trx, virtual_op, timestamp, packed }) => {
      const operation = operationCodec.read(new ByteReader(packed));
      const body = operation.bodyToJson({ ...encoding, dialect: 'legacy' });
      return shown([row?.number, trx_in_block, op_in_trx, virtual_op, timestamp, operation.kind.name, body]);
    }),
  );
  const expected = state.virtualOperations.map(({ block, transaction, operation, virtual, timestamp, kind, body }) =>
    shown([block, transaction, operation, virtual, timestamp, kind, bodyJson(body)]),
  );
  const sponsored = stored.flatMap((row) => (row?.sponsored ?? []).map((entry) => shown({ ...entry })));
  const paid = state.payments.map(({ transaction, operation, payer }) =>
    shown({ trx_in_block: transaction, op_in_trx: operation, fee_payer: payer }),
  );
  return [...listDifferences('virtual operation', found, expected), ...listDifferences('payer', sponsored, paid)];
}

function bodyJson(body: State['virtualOperations'][number]['body']): Row {
  const text = (amount: bigint): string => `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`;
  return Object.fromEntries(
    Object.entries(body).map(([member, value]) => [
      member,
      typeof value === 'object' ? `${text(BigInt.asUintN(64, value.amount))} ${value.symbol}` : value,
    ]),
  );
}

function listDifferences(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const [here, there] = [found.toSorted(), expected.toSorted()];
  return isDeepStrictEqual(here, there)
    ? []
    : [`${what}s: chain alone ${shown(lacking(here, there))}, model alone ${shown(lacking(there, here))}`];
}

const lacking = (from: readonly string[], others: readonly string[]): string[] =>
  from.filter((item) => !others.includes(item));

/** Each history that got entries in this block; the first block's include those of block 0. */
function historyDifferences(rows: CommittedRows, state: State): string[] {
  const { number } = state.globals;
  const isNew = (block: number): boolean => block === number || (number === 1 && block === 0);
  // The chain keeps no history of the empty name, which nobody can have.
  const fresh = state.history.filter(({ account, block }) => account !== '' && isNew(block));
  return [...new Set(fresh.map(({ account }) => account))].flatMap((account) => {
    const found = rows
      .rows(accountHistories, { from: { account }, to: { account }, ...ALL })
      .filter(({ block }) => isNew(block));
    const entries = found.flatMap(({ block, first_sequence, entries: list }) =>
      list.map(({ trx_in_block, op_in_trx, virtual_op }, index) =>
        shown([account, first_sequence + index, block, trx_in_block, op_in_trx, virtual_op]),
      ),
    );
    const expected = fresh
      .filter((entry) => entry.account === account)
      .map(({ sequence, block, transaction, operation, virtual }) =>
        shown([account, sequence, block, transaction, operation, virtual]),
      );
    return listDifferences(`history of ${account}`, entries, expected);
  });
}
