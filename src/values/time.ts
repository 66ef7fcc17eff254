import { refusals } from '../base/refusal.ts';
import { copying, type Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import { plainText, writing } from '../codec/json_text.ts';
import { NEVER } from './limits.ts';

/** Seconds since 1970-01-01 UTC, 32 bits. */
export type Seconds = number;

const EXTENDED = /^(\d{4})-(\d{1,2})-(\d{1,2})T(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d{0,40})?Z?$/;
const BASIC = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(?:\.\d{0,40})?Z?$/;
const SECONDS_PER_DAY = 86_400;

const refuse = refusals({ time_over: 'the chain counts time up to {end}; {time} seconds after 1970 is behind that' });

/** Refuses a time that does not fit 32 bits, instead of wrapping around to 1970. */
function requireTime(time: Seconds): Seconds {
  return time <= NEVER ? time : refuse.time_over({ end: timeText(NEVER), time });
}

/** The time `seconds` later; refused if that is never. */
export function addSeconds(time: Seconds, seconds: number): Seconds {
  const after = time + seconds;
  return after < NEVER ? after : refuse.time_over({ end: timeText(NEVER), time: after });
}

/** The number of the slot of a time, counted from 1970 on. */
export function slotNumber(timestamp: Seconds, intervalSeconds: number): number {
  return Math.trunc(timestamp / intervalSeconds);
}

/** `YYYY-MM-DDTHH:MM:SS`, without a time zone. */
export function timeText(time: Seconds): string {
  const [year, month, day] = civilDate(Math.floor(time / SECONDS_PER_DAY));
  const second = time % SECONDS_PER_DAY;
  const clock = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  return `${year}-${[month, day].map(two).join('-')}T${clock.map(two).join(':')}`;
}

/**
 * Parses a time, with or without a fraction or `Z`; undefined for another zone, a blank for `T`, a bare date or a
 * nonexistent day.
 */
export function parseTime(text: string): Seconds | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return calendarSeconds(
    year,
    month,
    day,
    hour * 3600 + minute * 60 + second,
    hour <= 23 && minute <= 59 && second <= 59,
  );
}

function calendarSeconds(
  year: number,
  month: number,
  day: number,
  secondOfDay: number,
  isTimeOfDay: boolean,
): Seconds | undefined {
  if (!isTimeOfDay || month < 1 || month > 12) return undefined;
  const days = daysSince1970(year, month, day);
  const [realYear, realMonth, realDay] = civilDate(days);
  if (realYear !== year || realMonth !== month || realDay !== day) return undefined;
  const time = days * SECONDS_PER_DAY + secondOfDay;
  return time >= 0 && time <= NEVER ? time : undefined;
}

/** The length of `YYYY-MM-DDTHH:MM:SS`. */
const PLAIN_BYTES = 19;

/** Parses bytes in the form of `timeText`; undefined for any other form. */
function plainTime(bytes: Uint8Array, start: number, end: number): Seconds | undefined {
  if (end - start !== PLAIN_BYTES) return undefined;
  const isPunctuated =
    bytes[start + 4] === 0x2d &&
    bytes[start + 7] === 0x2d &&
    bytes[start + 10] === 0x54 &&
    bytes[start + 13] === 0x3a &&
    bytes[start + 16] === 0x3a;
  const century = twoDigits(bytes, start);
  const year = twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  if (!isPunctuated || (century | year | month | day | hour | minute | second) < 0) return undefined;
  return calendarSeconds(
    century * 100 + year,
    month,
    day,
    hour * 3600 + minute * 60 + second,
    hour <= 23 && minute <= 59 && second <= 59,
  );
}

/** The number given by two ASCII digits; negative if one of them is not a digit. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - 0x30;
  const ones = (bytes[at + 1] ?? 0) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

// Gregorian days are counted in eras of 400 years that begin on 1 March, so that the leap day comes last.
const DAYS_PER_ERA = 146_097;
const DAYS_TO_1970 = 719_468; // from 0000-03-01

function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_1970;
}

function civilDate(days: number): [year: number, month: number, day: number] {
  const shifted = days + DAYS_TO_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const month = ((monthIndex + 2) % 12) + 1;
  const day = dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1;
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}

const WRITTEN_TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$';

/** The forms that `parseTime` reads; of days that do not exist and of times behind the last one it says nothing. */
export const GIVEN_TIME = ((): string => {
  const part = (largest: string): string => `(?:0?[0-9]|${largest})`;
  const [hour, sixty] = [part('1[0-9]|2[0-3]'), part('[1-5][0-9]')];
  const extended = `[0-9]{4}-${part('1[0-2]')}-${part('[12][0-9]|3[01]')}T${hour}:${sixty}:${sixty}`;
  const basic = '[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]';
  return `^(?:${extended}|${basic})(?:[.][0-9]{0,40})?Z?$`;
})();

/** Four bytes; in JSON a string without a time zone. */
export const time: Codec<Seconds, string> = {
  write: (out, value) => out.u32(requireTime(value)),
  read: (input) => input.u32(),
  toJson: writing(
    (value) => timeText(value),
    (value) => plainText(timeText(value)),
  ),
  fromJson: copying(
    (json) =>
      (typeof json === 'string' ? parseTime(json) : undefined) ?? mismatch('a time such as 2026-01-31T12:00:00', json),
    (from, out) => {
      const value = from.text() ? plainTime(from.bytes, from.textStart, from.textEnd) : undefined;
      if (value === undefined) return false;
      out.u32(value);
      return true;
    },
  ),
  initial: () => 0,
  describe: ({ describesGiven = false }) => ({ type: 'string', pattern: describesGiven ? GIVEN_TIME : WRITTEN_TIME }),
};
