import { useEffect, useState } from 'preact/hooks';
import { errorMessage } from '../../base/error_message.ts';
import type { FinalHead } from '../../client/verified.ts';
import { checkpoint } from './checkpoint.tsx';
import { headNumber } from './live.tsx';
import { BlockLink } from './parts.tsx';
import { viewLink } from './router.ts';

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
    prove(given).then(tell, (error: unknown) => tell({ reason: errorMessage(error) }));
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
