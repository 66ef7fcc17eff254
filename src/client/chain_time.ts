/** Seconds since 1970 of a time of the chain, which is UTC and does not say so. */
export function toSeconds(time: string): number {
  return Date.parse(`${time}Z`) / 1000;
}

/** The time so many seconds after 1970, as the chain writes it. */
export function secondsText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}
