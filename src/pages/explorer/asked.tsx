import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { errorMessage } from '../../base/error_message.ts';
import type { Client } from '../../client/index.ts';
import { hasLooked, headNumber, setbacks, showWithHead } from './live.tsx';
import { noteMissing } from './missing.tsx';
import { ask, comebacks, isSilence, reach } from './node_link.tsx';

/** The state of an answer: none yet, the answer, or the reason why there is none. */
export type Asked<T> = { readonly answer: T } | { readonly error: unknown } | undefined;

interface Known<T> {
  readonly key: string;
  /** The head that the page named when the answer was shown. */
  readonly head: number;
  readonly asked: Asked<T>;
}

/**
 * The node's answer to a question that `key` stands for, which is asked once there is a head. It is asked again when
 * the key changes, when the node comes back, when the head falls, and, with what was known staying in view, when `each`
 * changes. An answer is never shown beside an earlier head.
 */
export function useAsked<T>(
  key: string,
  question: (client: Client) => Promise<T>,
  each: string | number = '',
): Asked<T> {
  const known = useSignal<Known<T>>({ key, head: 0, asked: undefined });
  const latest = useRef(0);
  const [once, setback, isBegun] = [comebacks.value, setbacks.value, hasLooked.value];
  useEffect(() => {
    if (!isBegun) return;
    const turn = ++latest.current;
    const take = (asked: Asked<T>): void => {
      if (turn === latest.current) known.value = { key, head: headNumber.value, asked };
    };
    ask(async (client) => {
      const answer = await question(client);
      showWithHead(client, () => take({ answer }));
    }).catch((error: unknown) => take({ error }));
  }, [key, each, once, setback, isBegun]);
  const isOfThis = known.value.key === key && known.value.head <= headNumber.value;
  return isOfThis ? known.value.asked : undefined;
}

/**
 * The same for an answer that a view can do without: the view then says that it is missing. `what` names it for people.
 */
export function useAnswer<T>(what: string, ...question: Parameters<typeof useAsked<T>>): T | undefined {
  const asked = useAsked(...question);
  const reason = asked === undefined || 'answer' in asked ? '' : errorText(asked.error);
  useEffect(() => {
    noteMissing(what, reason);
    return () => noteMissing(what, '');
  }, [what, reason]);
  return asked !== undefined && 'answer' in asked ? asked.answer : undefined;
}

/** Shows an answer, or says what is the matter and what to do. */
export function Answer<T>({
  asked,
  children,
}: {
  readonly asked: Asked<T>;
  readonly children: (answer: T) => ComponentChildren;
}) {
  if (asked === undefined) return <p class="quiet">{reach.value === 'silent' ? SILENT : 'Asking the node …'}</p>;
  return 'error' in asked ? <Failure error={asked.error} /> : <>{children(asked.answer)}</>;
}

const SILENT =
  'The node does not answer. This page asks again every two seconds; see whether the node runs, and whether this machine reaches it.';

/** The reason why there is no answer. */
export function Failure({ error }: { readonly error: unknown }) {
  return (
    <p class="notice" role="status">
      {errorText(error)}
    </p>
  );
}

function errorText(error: unknown): string {
  return isSilence(error) ? SILENT : errorMessage(error);
}

/** The title of the tab, for histories and bookmarks. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Pharos' : `${title} · Pharos`;
  }, [title]);
}
