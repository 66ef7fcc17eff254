import { accountOperations } from './accounts.ts';
import { applicationOperations } from './applications.ts';
import { documentOperations } from './documents.ts';
import { escrowOperations } from './escrows.ts';
import { moneyOperations } from './money.ts';
import type { OperationTable } from './operation.ts';
import { recoveryOperations } from './recovery.ts';
import { votingOperations } from './voting.ts';
import { propertyOperations } from './witness_properties.ts';
import { witnessOperations } from './witnesses.ts';

/** The rules of each kind, by its name (chain_rules.md#operations). */
export const operationRules: OperationTable = {
  ...moneyOperations,
  ...accountOperations,
  ...recoveryOperations,
  ...witnessOperations,
  ...votingOperations,
  ...propertyOperations,
  ...documentOperations,
  ...escrowOperations,
  ...applicationOperations,
};
