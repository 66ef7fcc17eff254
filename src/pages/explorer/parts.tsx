import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Operation } from '../../client/index.ts';
import { Copy } from './copy.tsx';
import { chainTime } from './live.tsx';
import { reach } from './node_link.tsx';
import { viewLink } from './router.ts';
import { operationSentence, type Piece } from './sentences.ts';
import { agoText } from './words.ts';
import {
  amountParts,
  amountText,
  balancedText,
  countText,
  cutText,
  shortText,
  unstackedText,
} from '../../values/words.ts';
import { exactText, momentText, shortMomentText } from './zone.tsx';

/** Longer names are those that the chain makes of seeds; they may be broken. */
const LONG_NAME = 16;
/** Longer texts of strangers are folded. */
const LONG_TEXT = 200;

export function AccountLink({ name }: { readonly name: string }) {
  return (
    <a class={name.length > LONG_NAME ? 'long' : undefined} href={viewLink('account', name)}>
      {name === '' ? '(nobody)' : name}
    </a>
  );
}

/** Several, with commas between them. */
export function AccountLinks({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <AccountLink name={name} />
        </span>
      ))}
    </>
  );
}

/** Before the first block there is nothing to go to. */
export function BlockLink({ number }: { readonly number: number }) {
  return number === 0 ? <>0</> : <a href={viewLink('block', number)}>{countText(number)}</a>;
}

export function TransactionLink({ id }: { readonly id: string }) {
  return (
    <a class="id short" href={viewLink('transaction', id)} title={id}>
      {shortText(id)}
    </a>
  );
}

export function Amount({ text }: { readonly text: string }) {
  return <span class="amount">{amountText(text)}</span>;
}

/** An amount in a column: the decimal points stand below each other. */
export function ColumnAmount({ text }: { readonly text: string }) {
  const parts = amountParts(text);
  if (parts === undefined) return <>{text}</>;
  return (
    <span class="amount">
      {parts.whole}
      <span data-zeros={parts.zeros}>{parts.fraction}</span> {parts.symbol}
    </span>
  );
}

/** The name of what a view is about, to be copied. */
export function NameTitle({ name, what }: { readonly name: string; readonly what: string }) {
  return (
    <div class="title">
      <h1 tabIndex={-1}>{name}</h1>
      <Copy text={name} what={what} />
    </div>
  );
}

/** A time of the chain and how long ago that was, by the chain's own clock. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={`${at}Z`} title={exactText(at)}>
      {ageText(at)}
    </time>
  );
}

/** Returns the age of a time of the chain; the time itself while the node is gone, because its age is unknown then. */
function ageText(at: string): string {
  return reach.value === 'silent' ? shortMomentText(at, chainTime.value) : agoText(at, chainTime.value);
}

/** A time as it stands in calendars and lists, and how long ago that was. */
export function When({ at }: { readonly at: string }) {
  return (
    <span class="when">
      <span title={exactText(at)}>{momentText(at)}</span>{' '}
      <small>
        <Time at={at} />
      </small>
    </span>
  );
}

/** A key, whole: people compare them. */
export function Key({ text }: { readonly text: string }) {
  return (
    <>
      <a class="id" href={viewLink('search', text)}>
        {text}
      </a>{' '}
      <Copy text={text} what="the key" />
    </>
  );
}

/** An id, whole, to be copied. */
export function Id({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <>
      <span class="id">{text}</span> <Copy text={text} what={what} />
    </>
  );
}

/** A foreign text, shown as it is. Its direction of writing ends with it, and a control in the line folds a long one. */
export function Said({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = unstackedText(cutText(text, LONG_TEXT));
  return (
    <>
      <q class="said">
        <bdi>{balancedText(isWhole ? text : shown)}</bdi>
      </q>
      {shown !== text && (
        <>
          {' '}
          <button type="button" class="fold" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'less' : `all ${countText(text.length)} characters`}
          </button>
        </>
      )}
    </>
  );
}

function SentencePiece({ piece }: { readonly piece: Piece }) {
  if (typeof piece === 'string') return <>{piece}</>;
  if ('account' in piece) return <AccountLink name={piece.account} />;
  if ('amount' in piece) return <Amount text={piece.amount} />;
  if ('said' in piece) return <Said text={piece.said} />;
  if ('key' in piece)
    return (
      <a class="id short" href={viewLink('search', piece.key)} title={piece.key}>
        {shortText(piece.key)}
      </a>
    );
  if ('application' in piece) return <a href={viewLink('application', piece.application)}>{piece.application}</a>;
  return (
    <a href={viewLink('application', '', '', String(piece.applicationId))}>application {String(piece.applicationId)}</a>
  );
}

/** An operation in plain words. */
export function Sentence({ operation }: { readonly operation: Operation }) {
  return (
    <span class="sentence">
      {operationSentence(operation).map((piece, index) => (
        <SentencePiece key={index} piece={piece} />
      ))}
    </span>
  );
}

/** A part that is folded, and made when it is opened. */
export function Fold({ title, children }: { readonly title: string; readonly children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="raw" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** Facts by name. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A column: its heading, how a row shows in it, and its alignment. A `spare` column is text that matters least. */
export interface Column<R> {
  readonly name: string;
  readonly cell: (row: R) => ComponentChildren;
  readonly kind: 'text' | 'number' | 'spare';
}

interface TableProps<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string | number;
  /** The text for an empty table, with what to do. */
  readonly none: ComponentChildren;
}

export function Table<R>({ caption, columns, rows, keyOf, none }: TableProps<R>) {
  if (rows.length === 0) return <p class="notice">{none}</p>;
  // Narrow screens show each row as a card; the roles keep it a table for people who hear it.
  return (
    <div class="scrolls">
      <table role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" role="columnheader" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ name, kind, cell }) => (
                <td key={name} role="cell" class={kind} data-name={name}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A part of a view with its heading. */
export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface PagerProps {
  readonly newer: string | undefined;
  readonly older: string | undefined;
  readonly words?: readonly [newer: string, older: string];
}

/** Links to the neighbours of a page of a list; undefined where there is none. */
export function Pager({ newer, older, words: [before, behind] = ['← Newer', 'Older →'] }: PagerProps) {
  if (newer === undefined && older === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {newer === undefined ? <span /> : <a href={newer}>{before}</a>}
      {older === undefined ? <span /> : <a href={older}>{behind}</a>}
    </nav>
  );
}
