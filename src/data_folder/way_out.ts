import { Fault } from '../base/fault.ts';

/** Advice for damage that leaves no usable chain. */
export const FROM_ELSEWHERE =
  'nothing was changed there. Put the folder back from a backup, or begin in an empty one and bring the blocks back from peers or with pharos import';

/** Advice for damage that leaves a usable chain, up to a known block or one that still has to be determined. */
export function wayOut(last?: number): string {
  const accepted = last === undefined ? 'NUMBER, the last block that pharos verify finds' : String(last);
  return `${FROM_ELSEWHERE}; to go on with what is there, start once with --accept-head ${accepted}`;
}

/** The same error; for damaged data, with advice on what to do. */
export function withWayOut(error: unknown): unknown {
  const says = error instanceof Fault && error.code === 'damaged_data' && !error.message.includes(FROM_ELSEWHERE);
  return says ? new Fault('damaged_data', `${error.message}; ${FROM_ELSEWHERE}`, error) : error;
}
