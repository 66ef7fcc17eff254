/** Of a terminal that does not tell its width. */
const USUAL_COLUMNS = 80;

/** Columns that a status line may have. */
export function statusColumns(): number {
  return process.stderr.columns || USUAL_COLUMNS;
}

/** Shows a line in place of the one before, on a terminal only; an empty one removes it. */
export function statusLine(text: string): void {
  // A longer one would go on in the next line, and stay there.
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text.slice(0, statusColumns() - 1)}`);
}
