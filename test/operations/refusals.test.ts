import assert from 'node:assert/strict';
import { test } from 'node:test';

import { operationKinds } from '../../src/operations/index.ts';
import { Ledger } from '../builders/ledger.ts';

test('a transaction that holds a virtual operation is refused, whichever it is', () => {
  const ledger = new Ledger();
  for (const kind of Object.values(operationKinds).filter(({ isVirtual }) => isVirtual)) {
    const operation = kind.initial({
      coinSymbol: 'COIN',
      vestsSymbol: 'VESTS',
      keyPrefix: 'PHR',
      coinName: 'coin',
      dialect: 'default',
      operationForm: 'pair',
    });
    for (const attempt of [() => operation.validate(ledger.parameters), () => ledger.apply(operation)]) {
      assert.throws(attempt, {
        code: 'virtual_operation',
        message: `only the chain itself makes ${operation.kind.name} operations; no transaction holds one`,
      });
    }
  }
});
