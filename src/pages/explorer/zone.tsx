import { signal } from '@preact/signals';
import { keepText, keptText } from './kept.tsx';
import { toSeconds } from '../../client/chain_time.ts';
import { withoutDate, zonedText } from './words.ts';

const KEPT_AS = 'pharos times';

/** True if times are shown by the clock of this machine. */
const isLocal = signal(keptText(KEPT_AS) === 'local');

/** A time of the chain in the zone that the reader has chosen: `2026-11-23 16:28:09 UTC`. */
export function momentText(time: string): string {
  return zonedText(time, shownAhead(time));
}

/** The same, shorter: the time of day, or the day if that is not today's. */
export function shortMomentText(time: string, now: string): string {
  return withoutDate(time, now, shownAhead(time));
}

/** Both zones, for titles. */
export function exactText(time: string): string {
  const ahead = localAhead(time);
  return ahead === 0 ? zonedText(time, 0) : `${zonedText(time, 0)}\n${zonedText(time, ahead)}`;
}

function shownAhead(time: string): number {
  return isLocal.value ? localAhead(time) : 0;
}

/** The minutes that this machine's clock is ahead of UTC at a time: most zones change twice a year. */
function localAhead(time: string): number {
  return -new Date(toSeconds(time) * 1000).getTimezoneOffset();
}

/** Shows times in UTC or by the reader's clock. */
export function ZoneSwitch() {
  const choose = (local: boolean): void => {
    isLocal.value = local;
    keepText(KEPT_AS, local ? 'local' : '');
  };
  return (
    <span class="switch" role="group" aria-label="Times">
      Times in{' '}
      <button type="button" aria-pressed={!isLocal.value} onClick={() => choose(false)}>
        UTC
      </button>{' '}
      <button type="button" aria-pressed={isLocal.value} onClick={() => choose(true)}>
        local time
      </button>
    </span>
  );
}
