import { authority, transaction } from './authority_and_transaction.ts';
import { conventions } from './conventions.ts';
import type { Section } from './lines.ts';
import { operationSemantics } from './operation_semantics.ts';
import { operationBodies } from './operations.ts';
import { accountRecord, block, dynamicGlobalProperties, otherRecords } from './records.ts';
import { introduction, whatTheServiceDoes } from './what_the_service_does.ts';

/** The tables of all sections of the text, in its order. */
export const sections: readonly Section[] = [
  introduction,
  whatTheServiceDoes,
  conventions,
  authority,
  transaction,
  operationBodies,
  operationSemantics,
  accountRecord,
  block,
  dynamicGlobalProperties,
  otherRecords,
];
