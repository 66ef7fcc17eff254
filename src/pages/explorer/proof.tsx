import { useEffect, useState } from 'preact/hooks';
import type { FinalHead } from '../../client/verified.ts';
import { checkpoint, keepCheckpoint } from './checkpoint.tsx';
import { headNumber } from './live.tsx';
import { BlockLink, Section } from './parts.tsx';
import { viewLink } from './router.ts';
import { parseCheckpoint } from '../../values/checkpoint.ts';
import { timeText } from '../../values/time.ts';
import { momentText } from './zone.tsx';

/** Proves what a view shows; `key` names what that is. */
interface ProofProps {
  readonly of: string;
  readonly prove: (checkpoint: string) => Promise<{ readonly head: FinalHead }>;
  /** A sentence that separates the proven part of the view from the rest. */
  readonly unproven: string;
}

type Standing = 'asking' | { readonly head: FinalHead } | { readonly reason: string };

/** The sign that what a view shows is proven in this page, or why it is not. */
export function Proof({ of, prove, unproven }: ProofProps) {
  const [standing, setStanding] = useState<Standing>('asking');
  const [given, head] = [checkpoint.value, headNumber.value];
  const isProven = typeof standing === 'object' && 'head' in standing;
  useEffect(() => setStanding('asking'), [of, given]);
  useEffect(() => {
    if (given === '' || isProven) return undefined;
    let isWanted = true;
    const tell = (found: Standing): void => void (isWanted && setStanding(found));
    prove(given).then(tell, (error: unknown) =>
      tell({ reason: error instanceof Error ? error.message : String(error) }),
    );
    return () => (isWanted = false);
  }, [of, given, head, isProven]);
  if (given === '')
    return (
      <>
        not looked for: <a href={viewLink('node')}>give a checkpoint</a>
      </>
    );
  if (standing === 'asking') return <>looking for it …</>;
  if ('reason' in standing) return <>none: {standing.reason}</>;
  return (
    <>
      <span class="health good">proven in this page</span>; the newest final block,{' '}
      <BlockLink number={standing.head.number} />, was {standing.head.ageSeconds} s old. <small>{unproven}</small>
    </>
  );
}

/** The form that sets or removes a checkpoint. */
export function CheckpointPart() {
  const [typed, setTyped] = useState(checkpoint.value);
  const read = parseCheckpoint(typed.trim());
  const take = (event: Event): void => {
    event.preventDefault();
    if (read !== undefined || typed.trim() === '') keepCheckpoint(typed.trim());
  };
  return (
    <Section title="Proofs">
      <p>
        With a checkpoint this page proves that the blocks and transactions it shows are final, and believes nothing
        that the node says of them. Take it from people you trust, not from this node. What proves itself is marked;
        balances and lists can't be proven.
      </p>
      <form class="search" onSubmit={take}>
        <input
          type="text"
          name="checkpoint"
          aria-label="Checkpoint"
          placeholder="NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME"
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit">Keep</button>
      </form>
      <p role="status">{standingText(typed.trim(), read)}</p>
    </Section>
  );
}

function standingText(typed: string, read: ReturnType<typeof parseCheckpoint>): string {
  if (typed === '')
    return checkpoint.value === '' ? 'No checkpoint: nothing is proven.' : 'Keep this to forget the checkpoint.';
  if (read === undefined) return 'That is no checkpoint.';
  const of = `block ${read.number} of ${momentText(timeText(read.time))}`;
  return checkpoint.value === typed ? `Kept in this browser: ${of}.` : `A checkpoint of ${of}; not kept yet.`;
}
