import { inspect, isDeepStrictEqual } from 'node:util';

import { applicationDocuments, searchDocuments } from '../builders/found_documents.ts';
import type { NumberedDocument } from '../../src/queries/document_pages.ts';
import { findDocument } from '../../src/queries/documents.ts';
import { encoding } from '../builders/chain.ts';
import type { CommittedRows } from '../../src/storage/rows.ts';
import type { Document } from './records.ts';
import type { State } from './state.ts';

const MOST = 10_000; // documents of a page

/**
 * Lists differences between the documents that the chain's queries find and those of the model:
 * chain_rules.md#documents.
 */
export function documentDifferences(rows: CommittedRows, { documents }: State): string[] {
  const byId = documents.flatMap((document) =>
    differing(`document ${document.id}`, findDocument(rows, BigInt(document.id)), documentRecord(document)),
  );
  const beyond = differing('the document behind the last', findDocument(rows, BigInt(documents.length)), undefined);
  return [
    ...byId,
    ...beyond,
    ...received(rows, documents),
    ...sent(rows, documents),
    ...ofApplications(rows, documents),
  ];
}

function documentRecord({
  id,
  appId,
  sender,
  recipients,
  received: time,
  isBinary,
  payload,
}: Document): Readonly<Record<string, unknown>> {
  const data = isBinary ? Buffer.from(payload, 'hex').toString('base64') : payload;
  return { id: BigInt(id), sender, recipients, app_id: appId, data, received: time, binary: isBinary };
}

/** Lists the documents of each recipient in each application, under its own numbers. */
function received(rows: CommittedRows, documents: readonly Document[]): string[] {
  return groups(documents, ({ recipient, appId }) => `${recipient} ${appId}`).flatMap(([first, ...more]) => {
    const search = {
      app_id: first.appId,
      account_name: first.recipient,
      search_type: 'by_recipient_reverse',
      start: '1',
      count: MOST,
    };
    const expected = [first, ...more].map((document) => [BigInt(document.recipientSequence), documentRecord(document)]);
    return differing(
      `documents for ${first.recipient} in ${first.appId}`,
      searchDocuments({ rows, encoding }, search),
      expected,
    );
  });
}

/** Lists the documents of each sender: of the copies of a message the first, because no page ends within it (13.2). */
function sent(rows: CommittedRows, documents: readonly Document[]): string[] {
  return groups(documents, ({ sender, appId }) => `${sender} ${appId}`).flatMap(([first, ...more]) => {
    const search = {
      app_id: first.appId,
      account_name: first.sender,
      search_type: 'by_sender_reverse',
      start: '1',
      count: MOST,
    };
    const copies = groups([first, ...more], ({ senderSequence }) => String(senderSequence));
    const expected = copies.map(([copy]) => [BigInt(copy.senderSequence), documentRecord(copy)]);
    return differing(
      `documents by ${first.sender} in ${first.appId}`,
      searchDocuments({ rows, encoding }, search),
      expected,
    );
  });
}

/** All messages of an application; which copy stands for a message is left open. */
function ofApplications(rows: CommittedRows, documents: readonly Document[]): string[] {
  return groups(documents, ({ appId }) => String(appId)).flatMap(([first, ...more]) => {
    const copies = groups([first, ...more], ({ appSequence }) => String(appSequence));
    const expected = copies.map(([copy]) => [BigInt(copy.appSequence), { ...documentRecord(copy), id: 0n }]);
    const found = applicationDocuments(
      { rows, encoding },
      { app_id: first.appId, start: BigInt(MOST), limit: MOST },
    ).map(withoutId);
    return differing(`documents in ${first.appId}`, found, expected);
  });
}

const withoutId = ([sequence, record]: NumberedDocument): unknown => [sequence, { ...record, id: 0n }];

/** The documents that belong together, in the order in which the first of each came. */
function groups(
  documents: readonly Document[],
  keyOf: (document: Document) => string,
): (readonly [Document, ...Document[]])[] {
  const found = new Map<string, [Document, ...Document[]]>();
  for (const document of documents) {
    const group = found.get(keyOf(document));
    if (group === undefined) found.set(keyOf(document), [document]);
    else group.push(document);
  }
  return [...found.values()];
}

function differing(what: string, found: unknown, expected: unknown): string[] {
  return isDeepStrictEqual(found, expected) ? [] : [`${what}: chain ${shown(found)}, model ${shown(expected)}`];
}

const shown = (value: unknown): string => inspect(value, { depth: 6, breakLength: Infinity, maxStringLength: 40 });
