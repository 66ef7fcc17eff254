/** Seconds since 1970 of a time of the chain, which is UTC and does not say so. */
export function toSeconds(time: string): number {
  return Date.parse(`${time}Z`) / 1000;
}
