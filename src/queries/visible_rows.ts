import type { Bounds } from '../storage/rows.ts';

// A page skips at most this many rows that wait to be removed, which takes some milliseconds. A page with more of them
// comes back short.
const LARGEST_DETOUR = 5000;

/** A walk of rows some of which are only waiting to be removed. */
export interface VisibleWalk<Prefix, Row> {
  walk(bounds: Bounds<Prefix>): Row[];
  /** The position from which the walk continues after a row. */
  positionOf(row: Row): Prefix;
  isVisible(row: Row): boolean;
}

/** The rows within the bounds, without those waiting to be removed. */
export function visibleRows<Prefix, Row>(
  bounds: Bounds<Prefix>,
  { walk, positionOf, isVisible }: VisibleWalk<Prefix, Row>,
): Row[] {
  const { limit } = bounds;
  let page = walk(bounds);
  const found = page.filter(isVisible);
  for (let walked = page.length; found.length < limit && walked < limit + LARGEST_DETOUR; walked += page.length) {
    const last = page[limit - 1];
    if (last === undefined) break;
    page = walk(behind(bounds, positionOf(last)));
    found.push(...page.filter(isVisible));
  }
  return found.slice(0, limit);
}

function behind<Prefix>({ from, to, reverse = false, limit }: Bounds<Prefix>, after: Prefix): Bounds<Prefix> {
  const end = reverse ? (from === undefined ? {} : { from }) : to === undefined ? {} : { to };
  return { after, reverse, limit, ...end };
}
