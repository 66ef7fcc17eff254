import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRecord, EventRecord, OperationRecord } from '../../src/sinks/event_schema.ts';
import type { EventKind } from '../../src/sinks/sink.ts';
import { endText, StreamCheck } from '../../src/sinks/stream_check.ts';

function makeId(number: number, branch = 'a'): string {
  return number === 0 ? '0'.repeat(40) : number.toString(16).padStart(8, '0') + branch.repeat(32);
}

function operation(place: number): OperationRecord {
  const where = {
    trx_id: 'ef'.repeat(20),
    trx_in_block: place,
    op_in_trx: 0,
    virtual_op: 0,
    timestamp: '2026-11-21T00:00:21',
  };
  return {
    ...where,
    kind: 'transfer',
    fee_payer: 'alice',
    accounts: ['alice'],
    value: '{"memo":"tea"}',
    continued: false,
  };
}

interface Told {
  readonly branch?: string;
  readonly before?: string;
  readonly part?: number;
  readonly isLast?: boolean;
  readonly operations?: readonly OperationRecord[];
}

function block(
  number: number,
  { branch = 'a', before = branch, part = 0, isLast = true, operations = [operation(0)] }: Told = {},
): EventRecord {
  const record: BlockRecord = {
    ...{
      number,
      id: makeId(number, branch),
      previous: makeId(number - 1, before),
      timestamp: '2026-11-21T00:00:21',
      witness: 'initminer',
    },
    ...{ missed_slots: 0, transaction_count: 1, part, is_last_part: isLast, operations },
  };
  return { Block: record };
}

function undo(number: number, branch = 'a', before = branch): EventRecord {
  return { Undo: { number, id: makeId(number, branch), previous: makeId(number - 1, before) } };
}

function alone(number: number, place = 0): EventRecord {
  return { OperationEvent: { number, id: makeId(number), operation: operation(place) } };
}

/** Reads a stream that has these messages, from that sequence on; one that is undefined is missing. */
function checked(records: readonly (EventRecord | undefined)[], { first = 1, form = 'avro' } = {}): StreamCheck {
  const check = new StreamCheck();
  for (const [k, record] of records.entries()) {
    if (record === undefined) continue;
    const event: EventKind = record.Block === undefined ? 'undo' : 'block';
    const marks = { block: makeId(1), previous: makeId(0), head: makeId(1), message: 0, isEnd: true, irreversible: 0 };
    check.take({ sequence: first + k, mark: { ...marks, event, form }, record });
  }
  check.finish();
  return check;
}

test('a stream as a node writes it is right: blocks in parts, branches that change, a block that comes back', () => {
  const check = checked([
    block(1),
    block(2, { isLast: false }),
    block(2, { part: 1 }),
    block(3, { branch: 'b', before: 'a' }),
    undo(3, 'b', 'a'),
    block(3),
    undo(3),
    undo(2),
    block(2),
    block(3),
    { Irreversible: { number: 2, id: makeId(2) } },
  ]);
  assert.deepEqual(check.problems, []);
  assert.deepEqual([check.length, check.irreversible, check.counts.undone], [3, 2, 3]);
  assert.match(endText(check), new RegExp(`block 3, ${makeId(3)}`));
});

test('what is not right is said with its place', () => {
  const cases: readonly (readonly [readonly (EventRecord | undefined)[], RegExp])[] = [
    [[block(1), undefined, undefined, block(2)], /^message 4: 2 messages are missing before it$/],
    [[block(1), block(2), block(5)], /^message 3: blocks 3 to 4 are missing$/],
    [[block(1), block(2), block(2)], /^message 3: block 2 is repeated$/],
    [[block(1), block(2), block(1)], /^message 3: block 1 is repeated$/],
    [[block(1), block(2), block(3, { branch: 'b' })], /^message 3: block 3 does not follow block 2$/],
    [[block(1), block(2, { isLast: false }), block(3)], /^message 3: block 2 before it is not complete$/],
    [[block(1), block(2, { isLast: false }), block(2, { part: 2 })], /^message 3: part 2 of block 2 does not follow/],
    [[block(1), block(2, { part: 1 })], /^message 2: part 1 of block 2 does not follow/],
    [[block(1), block(2, { isLast: false })], /^message 2: the last block is not complete/],
    [[block(1), block(2), undo(1)], /^message 3: it undoes block 0{7}1a+, the last one is 0{7}2a+$/],
    [
      [block(1), { Irreversible: { number: 1, id: makeId(1, 'b') } }],
      /^message 2: it calls block 0{7}1b+ irreversible, which is not on/,
    ],
    [[block(1), { Irreversible: { number: 9, id: makeId(9) } }], /^message 2: it calls block 0{7}9a+ irreversible/],
  ];
  for (const [records, message] of cases) assert.match(checked(records).problems[0] ?? 'nothing', message);
  const form = 'avro+operations';
  assert.deepEqual(checked([block(1), alone(1), block(2), alone(2)], { form }).problems, []);
  assert.match(
    checked([block(1), block(2)], { form }).problems[0] ?? '',
    /^message 2: 1 operations before it have no message$/,
  );
  assert.match(
    checked([block(1), alone(1), alone(1)], { form }).problems[0] ?? '',
    /^message 3: its operation is not the next one/,
  );
  assert.match(
    checked([block(1), alone(1, 7)], { form }).problems[0] ?? '',
    /^message 2: its operation is not the next one/,
  );
});

test('a stream whose beginning is gone is right from the first whole block on', () => {
  const form = 'avro+operations';
  const cut = [
    block(7, { part: 1, isLast: false }),
    alone(7),
    block(7, { part: 2 }),
    alone(7),
    block(8),
    alone(8),
    block(9),
    alone(9),
  ];
  const check = checked(cut, { first: 1000, form });
  assert.deepEqual(check.problems, []);
  assert.deepEqual([check.first, check.length], [8, 2]);
  assert.deepEqual(
    checked([undo(7), block(7, { branch: 'b', before: 'a' }), block(8, { branch: 'b' })], { first: 50 }).problems,
    [],
  );
});

test('an empty stream has nothing that is wrong, and no block', () => {
  const check = checked([]);
  assert.deepEqual(check.problems, []);
  assert.equal(endText(check), 'no block');
});

test('of a long stream only the last blocks are remembered, and each of the others is handed over once', () => {
  const check = new StreamCheck();
  const handed: number[] = [];
  let most = 0;
  let sequence = 0;
  const take = (record: EventRecord): void => {
    const mark = {
      event: 'block',
      block: makeId(1),
      previous: makeId(0),
      head: makeId(1),
      message: 0,
      isEnd: true,
      irreversible: 0,
      form: 'avro',
    } as const;
    check.take({ sequence: ++sequence, mark, record });
    handed.push(...check.settled().map(({ number }) => number));
    most = Math.max(most, check.blocks.length);
  };
  const blocks = 60_000;
  for (let number = 1; number <= blocks; number++) {
    take(block(number, { operations: [] }));
    if (number % 10_000 === 0) {
      for (let deep = 0; deep < 500; deep++) take(undo(number - deep));
      for (let deep = 499; deep >= 0; deep--) take(block(number - deep, { operations: [] }));
    }
  }
  check.finish();
  assert.deepEqual(check.problems, []);
  assert.equal(check.length, blocks);
  assert.ok(most <= 11_000, `${most} blocks`);
  assert.deepEqual(
    [...handed, ...check.blocks.map(({ number }) => number)],
    Array.from({ length: blocks }, (_, k) => k + 1),
  );
});
