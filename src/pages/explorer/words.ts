const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Longer ids and names are cut in the middle where there is little room. */
const SHORT_ENDS = 8;

/** `10000000.500000 COIN` with its thousands apart, and without zeros that say nothing: `10,000,000.5 COIN`. */
export function amountText(amount: string): string {
  const [, sign = '', whole = '', decimals = '', symbol = ''] = /^(-?)(\d+)(?:\.(\d+))?( .*)?$/.exec(amount) ?? [];
  if (whole === '') return amount;
  const kept = decimals.replace(/0+$/, '');
  return `${sign}${countText(whole)}${kept === '' ? '' : `.${kept}`}${symbol}`;
}

/** The same without decimals, where the size is what matters: `10,000,000 COIN`. */
export function wholeText(amount: string): string {
  return amountText(amount.replace(/\.\d+/, ''));
}

/** A whole number with its thousands apart. */
export function countText(count: number | bigint | string): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** Seconds since 1970 of a time of the chain, which is UTC and does not say so. */
export function secondsOf(time: string): number {
  return Date.parse(`${time}Z`) / 1000;
}

/** A time of the chain as people write it: `2026-11-23 16:28:09`. */
export function timeText(time: string): string {
  return time.replace('T', ' ');
}

/** The time of day where the day is that of `now`, otherwise the day: `16:28:09 UTC`, `2026-11-23`. */
export function withoutDate(time: string, now: string): string {
  const [day, clock] = time.split('T');
  return now.startsWith(`${day}T`) ? `${clock} UTC` : `${day}`;
}

/** The time so many seconds after 1970, as the chain writes it. */
export function timeAt(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** The time of day of a moment by this machine's clock: `16:28:09`. */
export function clockText(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 'hh:mm:ss'.length);
}

/** How long that is, by its largest unit or two: `3 s`, `2 min`, `4 h 10 min`, `12 days`. */
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

/** How a time stands to now: `12 s ago`, `in 3 days`. */
export function agoText(time: string, now: string): string {
  const seconds = secondsOf(now) - secondsOf(time);
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${durationText(seconds)} ago` : `in ${durationText(-seconds)}`;
}

/** Long ids by their ends. */
export function shortText(text: string): string {
  return text.length <= 2 * SHORT_ENDS + 1 ? text : `${text.slice(0, SHORT_ENDS)}…${text.slice(-SHORT_ENDS)}`;
}

/** `1 block`, `2 blocks`. */
export function counted(count: number | bigint, noun: string, nouns = `${noun}s`): string {
  return `${countText(count)} ${Number(count) === 1 ? noun : nouns}`;
}
