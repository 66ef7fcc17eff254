import { after, describe, test } from 'node:test';
import { sections } from './sections.ts';
import { Stage, type Part } from './stage.ts';

/**
 * Looks at every line of the tables that speaks to one of these; each is a test of its own, so that none hides another.
 */
export function checkLines(...parts: readonly Part[]): void {
  const stage = new Stage();
  after(() => stage.clear());
  for (const { title, lines } of sections) {
    const ours = lines.filter((line) => parts.includes(line.on));
    if (ours.length === 0) continue;
    describe(`the interface, ${title || 'introduction'}`, () => {
      for (const { text, note, check } of ours) test(note === '' ? text : `${text}: ${note}`, () => check(stage));
    });
  }
}
