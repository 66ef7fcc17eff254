import type { ComponentChildren } from 'preact';
import type { Operation } from '../../client/index.ts';
import { chainTime } from './live.tsx';
import { reach } from './node_link.tsx';
import { linkTo } from './router.ts';
import { sentenceOf, type Piece } from './sentences.ts';
import { agoText, amountText, countText, shortText, timeText, withoutDate } from './words.ts';

/**
 * Longer names are those that the chain makes of seeds; they may be broken, as longer amounts before their symbol on
 * narrow screens.
 */
const LONG_NAME = 16;
const SECONDS_LENGTH = ':00'.length;
/** Longer texts of strangers are folded. */
const LONG_TEXT = 200;

export function AccountLink({ name }: { readonly name: string }) {
  return (
    <a class={name.length > LONG_NAME ? 'long' : undefined} href={linkTo('account', name)}>
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
  return number === 0 ? <>0</> : <a href={linkTo('block', number)}>{countText(number)}</a>;
}

export function TransactionLink({ id }: { readonly id: string }) {
  return (
    <a class="id short" href={linkTo('transaction', id)} title={id}>
      {shortText(id)}
    </a>
  );
}

export function Amount({ text }: { readonly text: string }) {
  const shown = amountText(text);
  return <span class={shown.length > LONG_NAME ? 'amount wide' : 'amount'}>{shown}</span>;
}

/** A time of the chain and how long ago that was, by the chain's own clock. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={`${at}Z`} title={`${timeText(at)} UTC`}>
      {ageText(at)}
    </time>
  );
}

/**
 * How long ago a time of the chain was; the time itself while the node is gone, because nothing says how old it is by
 * now.
 */
export function ageText(at: string): string {
  return reach.value === 'silent' ? withoutDate(at, chainTime.value) : agoText(at, chainTime.value);
}

/** A time as it stands in calendars and lists, to the minute, and how long ago that was. */
export function When({ at }: { readonly at: string }) {
  return (
    <span class="when">
      <span title={`${timeText(at)} UTC`}>{timeText(at).slice(0, -SECONDS_LENGTH)}</span>{' '}
      <small>
        <Time at={at} />
      </small>
    </span>
  );
}

/** A key, whole: people compare them. */
export function Key({ text }: { readonly text: string }) {
  return (
    <a class="id" href={linkTo('search', text)}>
      {text}
    </a>
  );
}

/** What a stranger wrote: text, whatever it looks like. */
export function Said({ text }: { readonly text: string }) {
  if (text.length <= LONG_TEXT) return <q class="said">{text}</q>;
  return (
    <details class="said-long">
      <summary>
        <q class="said">{text.slice(0, LONG_TEXT)}…</q>
      </summary>
      <pre>{text}</pre>
    </details>
  );
}

function PieceOf({ piece }: { readonly piece: Piece }) {
  if (typeof piece === 'string') return <>{piece}</>;
  if ('account' in piece) return <AccountLink name={piece.account} />;
  if ('amount' in piece) return <Amount text={piece.amount} />;
  if ('said' in piece) return <Said text={piece.said} />;
  if ('key' in piece)
    return (
      <a class="id short" href={linkTo('search', piece.key)} title={piece.key}>
        {shortText(piece.key)}
      </a>
    );
  if ('application' in piece) return <a href={linkTo('application', piece.application)}>{piece.application}</a>;
  return (
    <a href={linkTo('application', '', '', String(piece.applicationId))}>application {String(piece.applicationId)}</a>
  );
}

/** What an operation did, in plain words. */
export function Sentence({ operation }: { readonly operation: Operation }) {
  return (
    <span class="sentence">
      {sentenceOf(operation).map((piece, index) => (
        <PieceOf key={index} piece={piece} />
      ))}
    </span>
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

/** A column: its heading, how a row shows in it, and whether narrow screens do without it. */
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
  /** What is said where there are no rows, and what to do. */
  readonly none: ComponentChildren;
}

export function Table<R>({ caption, columns, rows, keyOf, none }: TableProps<R>) {
  if (rows.length === 0) return <p class="notice">{none}</p>;
  return (
    <div class="scrolls">
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, kind, cell }) => (
                <td key={name} class={kind}>
                  {cell(row)}
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

/** Anything as the node answers it, for who wants to see all of it. */
export function Raw({ of }: { readonly of: unknown }) {
  return (
    <details class="raw">
      <summary>As the node answers it</summary>
      <pre>{JSON.stringify(of, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2)}</pre>
    </details>
  );
}
