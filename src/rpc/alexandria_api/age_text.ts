// The age of an event in words; the rounding is the lineage's (rpc_conventions.md#ages-as-text).

const plural = (count: number, unit: string): string => `${count} ${unit}${count > 1 ? 's' : ''}`;

/** For example, `3 seconds old`; both times in seconds since 1970. A later event is `in the future`. */
export function ageText(now: number, event: number, suffix: ' old' | ' ago'): string {
  return spanText(Math.abs(now - event)) + (now >= event ? suffix : ' in the future');
}

function spanText(seconds: number): string {
  if (seconds < 90) return plural(seconds, 'second');
  const minutes = Math.trunc((seconds + 30) / 60);
  if (minutes < 90) return plural(minutes, 'minute');
  const hours = Math.trunc((minutes + 30) / 60);
  if (hours < 90) return plural(hours, 'hour');
  return daysText(Math.trunc((hours + 12) / 24));
}

function daysText(days: number): string {
  if (days < 90) return plural(days, 'day');
  const weeks = Math.trunc((days + 3) / 7);
  if (weeks < 70) return plural(weeks, 'week');
  const months = Math.trunc((days + 15) / 30);
  if (months < 12) return plural(months, 'month');
  // In years, the number of months decides both plurals, and no space separates the two.
  const ending = months > 1 ? 's' : '';
  const rest = Math.trunc(((days % 365) + 15) / 30);
  return `${Math.trunc(days / 365)} year${ending}${months < 60 && rest > 0 ? `${rest} month${ending}` : ''}`;
}
