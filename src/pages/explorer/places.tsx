// The browser's history keeps how far down each of its entries was read.

const PAUSE_MS = 150;
/** A view may take so long to become as high as it was. */
const MOST_WAIT_MS = 4000;
const MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** The place to return to, after a step in the browser's history or a reload; undefined after a link. */
let wanted: number | undefined;

/** Keeps the place in each entry of the browser's history. */
export function keepPlaces(): void {
  history.scrollRestoration = 'manual';
  wanted = readPlace(history.state);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = (): void => {
    clearTimeout(timer);
    history.replaceState({ y: Math.floor(scrollY) }, '');
  };
  addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE_MS);
  });
  // Before a link leads away from this entry.
  addEventListener('click', keep, { capture: true });
  addEventListener('popstate', ({ state }) => {
    clearTimeout(timer);
    wanted = readPlace(state);
  });
}

/**
 * Returns to the place of this entry of the history, or to the top. Lists come later than their headings. So it tries
 * until the page is high enough or the reader moves. The result ends the attempt.
 */
export function goToPlace(): () => void {
  const place = wanted ?? 0;
  wanted = undefined;
  scrollTo(0, place);
  if (scrollY >= place) return () => undefined;
  const watch = new ResizeObserver(() => {
    scrollTo(0, place);
    if (scrollY >= place) stop();
  });
  const timer = setTimeout(stop, MOST_WAIT_MS);
  function stop(): void {
    watch.disconnect();
    clearTimeout(timer);
    for (const move of MOVES) removeEventListener(move, stop);
  }
  for (const move of MOVES) addEventListener(move, stop, { passive: true });
  watch.observe(document.body);
  return stop;
}

function readPlace(state: unknown): number | undefined {
  if (typeof state !== 'object' || state === null || !('y' in state)) return undefined;
  return typeof state.y === 'number' ? state.y : undefined;
}
