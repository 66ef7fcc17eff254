import { alexandriaQueries } from './alexandria_queries.ts';
import { alexandriaTools } from './alexandria_tools.ts';
import { authority, transaction } from './authority_and_transaction.ts';
import { conventions } from './conventions.ts';
import { databaseApi } from './database_api.ts';
import { authentication } from './authentication.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { limits } from './limits.ts';
import { versioning } from './versioning.ts';
import { wallet } from './wallet.ts';
import type { Section } from './lines.ts';
import { openCalls, openRecords } from './open_items.ts';
import { operationSemantics } from './operation_semantics.ts';
import { operationBodies } from './operations.ts';
import { operationHelpers } from './operation_helpers.ts';
import { otherGroups } from './other_groups.ts';
import { accountRecord, block, dynamicGlobalProperties, otherRecords } from './records.ts';
import { statesAndTransitions } from './states_and_transitions.ts';
import { transport } from './transport.ts';
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
  openRecords,
  statesAndTransitions,
  transport,
  operationHelpers,
  alexandriaQueries,
  alexandriaTools,
  databaseApi,
  otherGroups,
  wallet,
  openCalls,
  authentication,
  events,
  errors,
  limits,
  versioning,
];
