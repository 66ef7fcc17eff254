import { secondsText, toSeconds } from '../../client/chain_time.ts';
import { countText } from '../../values/words.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time of the chain as people write it: `2026-11-23 16:28:09`. */
export function timeText(time: string): string {
  return time.replace('T', ' ');
}

/** A time of the chain by a clock that is ahead of UTC: `2026-11-23 17:28:09 UTC+1`. */
export function zonedText(time: string, aheadMinutes: number): string {
  return `${timeText(shifted(time, aheadMinutes))} ${zoneText(aheadMinutes)}`;
}

/**
 * The time of day where the day is that of `now`, otherwise the day, by a clock that is ahead of UTC: `16:28:09 UTC`,
 * `2026-11-23`.
 */
export function withoutDate(time: string, now: string, aheadMinutes = 0): string {
  const [day, clock] = shifted(time, aheadMinutes).split('T');
  return shifted(now, aheadMinutes).startsWith(`${day}T`) ? `${clock} ${zoneText(aheadMinutes)}` : `${day}`;
}

function shifted(time: string, aheadMinutes: number): string {
  return secondsText(toSeconds(time) + aheadMinutes * MINUTE);
}

/** `UTC`, `UTC+1`, `UTC−3:30`. */
function zoneText(aheadMinutes: number): string {
  if (aheadMinutes === 0) return 'UTC';
  const [hours, minutes] = [Math.floor(Math.abs(aheadMinutes) / 60), Math.abs(aheadMinutes) % 60];
  return `UTC${aheadMinutes < 0 ? '−' : '+'}${hours}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`}`;
}

/** The time of day of a moment by this machine's clock: `16:28:09`. */
export function clockText(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 'hh:mm:ss'.length);
}

/** Describes a duration by its largest unit or two: `3 s`, `2 min`, `4 h 10 min`, `12 days`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < DAY) {
    const minutes = Math.floor((whole % HOUR) / MINUTE);
    return minutes === 0 ? `${Math.floor(whole / HOUR)} h` : `${Math.floor(whole / HOUR)} h ${minutes} min`;
  }
  const days = Math.floor(whole / DAY);
  return days === 1 ? '1 day' : `${countText(days)} days`;
}

/** Describes a time relative to now: `12 s ago`, `in 3 days`. */
export function agoText(time: string, now: string): string {
  const seconds = toSeconds(now) - toSeconds(time);
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${durationText(seconds)} ago` : `in ${durationText(-seconds)}`;
}
