import type { Body } from '../body.ts';
import { byName } from '../names.ts';
import type { Document } from '../records.ts';
import type { State } from '../state.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { byteLength, checkJson } from './validation.ts';

const hexBytes = (hex: string): number => hex.length / 2;

const common = {
  feeAccount: (body: Body) => body.text('sender'),
  authorities: (body: Body) => ({ active: [body.text('sender')] }),
};

/** 7.9 */
const custom: OperationRules = {
  ...common,
  fee: (body) => ({ payloadBytes: hexBytes(body.text('data')) }),
  apply: () => {},
};

/** 7.9 */
const customJson: OperationRules = {
  ...common,
  fee: (body) => ({ payloadBytes: byteLength(body.text('json')) }),
  validate: (body) => checkJson(body.text('json')),
  apply: (body, state) => addDocuments(state, body, body.text('json'), false),
};

/** 7.9 */
const customBinary: OperationRules = {
  ...common,
  fee: (body) => ({ payloadBytes: hexBytes(body.text('data')) }),
  apply: (body, state) => addDocuments(state, body, body.text('data'), true),
};

/** 13.1: a copy for each recipient. */
function addDocuments(state: State, body: Body, payload: string, isBinary: boolean): void {
  const sender = body.text('sender');
  const appId = body.integer('app_id');
  const recipients = [...new Set(body.texts('recipients'))].sort(byName);
  const ofApp = state.documents.filter((document) => document.appId === appId);
  const next = (documents: readonly Document[], sequence: (document: Document) => number): number =>
    1 + documents.reduce((highest, document) => Math.max(highest, sequence(document)), 0);
  const senderSequence = next(
    ofApp.filter((document) => document.sender === sender),
    (document) => document.senderSequence,
  );
  const appSequence = next(ofApp, (document) => document.appSequence);
  for (const recipient of recipients) {
    const recipientSequence = next(
      ofApp.filter((document) => document.recipient === recipient),
      (document) => document.recipientSequence,
    );
    const id = state.nextId('document');
    const received = state.headTime;
    const sequences = { senderSequence, recipientSequence, appSequence };
    state.documents.push({ id, appId, sender, recipient, recipients, ...sequences, received, isBinary, payload });
  }
}

export const documentOperations: OperationTable = { custom, custom_json: customJson, custom_binary: customBinary };
