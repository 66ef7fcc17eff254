import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import type { Operation, OperationType } from '../../src/operations/operation.ts';
import type { Ledger } from './ledger.ts';
import { assertTells } from './sentences.ts';

/** One thing that is wrong with an operation, in its body or in the state that it meets. */
export interface Fault<B> {
  readonly code: string;
  readonly text: string;
  readonly body?: Partial<B>;
  readonly given?: (ledger: Ledger) => void;
  /** It excludes other faults, so it is tested alone. */
  readonly alone?: boolean;
}

/**
 * An operation that succeeds on the ledgers that `build` makes, and what can be wrong with it, in the order of the
 * checks.
 */
export interface Trial<B extends object> {
  readonly kind: OperationType<B>;
  readonly build: () => Ledger;
  readonly good: B;
  readonly faults: readonly Fault<B>[];
}

/**
 * Tests that the good operation passes, and that with all faults at once the first is reported; without that, the
 * second, and so on.
 */
export function testRefusals<B extends object>({ kind, build, good, faults }: Trial<B>): void {
  test(`${kind.name} passes when nothing is wrong`, () => build().apply(kind.of(good)));

  for (const [index, fault] of faults.entries()) {
    const present =
      fault.alone === true ? [fault] : [fault, ...faults.slice(index + 1).filter(({ alone }) => alone !== true)];
    test(`${kind.name} is refused as ${fault.code}, whatever else is wrong later`, () => {
      const ledger = build();
      for (const { given } of present.toReversed()) given?.(ledger);
      assertRefused(ledger, kind.of(withFaults(good, present)), fault);
    });
  }
}

/** The body with all faults in it; where two change the same member, the earlier one wins. */
function withFaults<B extends object>(good: B, faults: readonly Fault<B>[]): B {
  const body = { ...good };
  for (const fault of faults.toReversed()) Object.assign(body, fault.body);
  return body;
}

/** The operation is refused with that code, a sentence and the lineage's text where it had one, and changes nothing. */
export function assertRefused(
  ledger: Ledger,
  operation: Operation,
  { code, text }: { readonly code: string; readonly text: string },
): void {
  const before = { hash: ledger.rows.stateHash(), events: ledger.events.length };
  assert.throws(
    () => ledger.apply(operation),
    (refusal) => {
      assert.ok(refusal instanceof Refusal, String(refusal));
      assert.deepEqual({ code: refusal.code, text: refusal.lineage ?? refusal.message }, { code, text });
      assertTells(refusal);
      return true;
    },
  );
  assert.deepEqual({ hash: ledger.rows.stateHash(), events: ledger.events.length }, before);
}
