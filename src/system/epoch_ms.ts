/** Milliseconds since 1970-01-01 UTC with fractions, the same in all threads of the process. Only for what people read. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now();
}
