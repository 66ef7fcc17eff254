/**
 * Views of votes that still count: a vote is cast within a slot of its view, and a slow network brings it ten slots
 * later at most. Clocks may be one slot ahead.
 */
const VIEWS = { behind: 10, ahead: 1 } as const;

/** Returns whether votes of a view still count, and count already, in the slot of now. */
export function isCountedView(view: number, now: number): boolean {
  return !isPastView(view, now) && !isFutureView(view, now);
}

/** Returns whether no clock of an honest voter can have come to a view. */
export function isFutureView(view: number, now: number): boolean {
  return view > now + VIEWS.ahead;
}

/** Returns whether all votes of a view are too old to count. */
export function isPastView(view: number, now: number): boolean {
  return view < now - VIEWS.behind;
}
