import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Client } from '../../client/index.ts';
import { ask, comebacks, isSilence, reach } from './node_link.tsx';

/** What is known of an answer: nothing yet, the answer, or why there is none. */
export type Asked<T> = { readonly answer: T } | { readonly error: unknown } | undefined;

/**
 * The node's answer to a question that `key` stands for. It is asked again when the key changes, when the node comes back, and, with what was
 * known staying in view, when `each` changes.
 */
export function useAsked<T>(key: string, question: (client: Client) => Promise<T>, each: string | number = ''): Asked<T> {
  const known = useSignal<{ readonly key: string; readonly asked: Asked<T> }>({ key, asked: undefined });
  const latest = useRef(0);
  const once = comebacks.value;
  useEffect(() => {
    const turn = ++latest.current;
    const take = (asked: Asked<T>): void => {
      if (turn === latest.current) known.value = { key, asked };
    };
    ask(question).then(
      (answer) => take({ answer }),
      (error: unknown) => take({ error }),
    );
  }, [key, each, once]);
  return known.value.key === key ? known.value.asked : undefined;
}

/** Shows an answer, or says what is the matter and what to do. */
export function Answer<T>({ asked, children }: { readonly asked: Asked<T>; readonly children: (answer: T) => ComponentChildren }) {
  if (asked === undefined) return <p class="quiet">{reach.value === 'silent' ? SILENT : 'Asking the node …'}</p>;
  return 'error' in asked ? <Failure error={asked.error} /> : <>{children(asked.answer)}</>;
}

const SILENT =
  'The node does not answer. This page asks again every two seconds; see whether the node runs, and whether this machine reaches it.';

/** Why there is no answer. */
export function Failure({ error }: { readonly error: unknown }) {
  const text = isSilence(error) ? SILENT : error instanceof Error ? error.message : String(error);
  return (
    <p class="notice" role="status">
      {text}
    </p>
  );
}

/** The title of the tab, for histories and bookmarks. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Pharos' : `${title} · Pharos`;
  }, [title]);
}
