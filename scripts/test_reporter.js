// A reporter of node:test: a line of JSON for each test that has ended, which scripts/test_outcomes.js reads.

/** @param {AsyncIterable<any>} events */
// node:test takes the default export.
// oxlint-disable-next-line import/no-default-export
export default async function* outcomeLines(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.skip !== undefined) continue;
    const { name, nesting, file, details } = data;
    const { duration_ms: durationMs = 0, type: kind, error } = details ?? {};
    const failure =
      type === 'test:fail' && data.todo === undefined ? (error?.failureType ?? 'testCodeFailure') : undefined;
    const reason = failure === undefined ? undefined : firstLine(error?.cause?.message ?? error?.message);
    yield `${JSON.stringify({ name, nesting, file, durationMs, isSuite: kind === 'suite', failure, reason })}\n`;
  }
}

/** @param {unknown} message */
function firstLine(message) {
  return typeof message === 'string' ? message.split('\n').find((line) => line.trim() !== '') : undefined;
}
