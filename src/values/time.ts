import type { Codec } from '../codec/codec.ts';
import { misfit } from '../codec/misfit.ts';

/** Seconds since 1970-01-01 UTC, 32 bits. */
export type Seconds = number;

const EXTENDED = /^(\d{4})-(\d{1,2})-(\d{1,2})T(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d*)?$/;
const BASIC = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(?:\.\d*)?$/;
const SECONDS_PER_DAY = 86_400;
const LATEST = 0xffff_ffff;

/** `YYYY-MM-DDTHH:MM:SS`, without a zone. */
export function timeText(time: Seconds): string {
  const [year, month, day] = civilDate(Math.floor(time / SECONDS_PER_DAY));
  const second = time % SECONDS_PER_DAY;
  const clock = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  return `${year}-${[month, day].map(two).join('-')}T${clock.map(two).join(':')}`;
}

/** The time that a text says; undefined for a zone, a blank in place of `T`, a bare date or a day that does not exist. */
export function parseTime(text: string): Seconds | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const days = daysSince1970(year, month, day);
  const isDay = month >= 1 && month <= 12 && civilDate(days).join() === [year, month, day].join();
  if (!isDay || hour > 23 || minute > 59 || second > 59) return undefined;
  const time = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
  return time >= 0 && time <= LATEST ? time : undefined;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

// Days of the Gregorian calendar counted in eras of 400 years that begin on 1 March, so that the leap day comes last.
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

/** Four bytes; in JSON a text without a zone. */
export const time: Codec<Seconds> = {
  write: (out, value) => out.u32(value),
  read: (input) => input.u32(),
  toJson: timeText,
  fromJson(json) {
    if (typeof json !== 'string') return misfit('a time such as 2026-01-31T12:00:00', json);
    return parseTime(json) ?? misfit('a time such as 2026-01-31T12:00:00', json);
  },
  initial: () => 0,
  describe: () => ({ type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$' }),
};
