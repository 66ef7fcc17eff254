import { createHash } from 'node:crypto';

/** A sentence or a row of a table in a text. */
export interface Unit {
  /** The headings that it stands under, joined by ` / `. */
  readonly title: string;
  readonly text: string;
  /** The first cell of a row, and the second where the first is not enough to tell; undefined for a sentence. */
  readonly cells: string | undefined;
}

/** Cuts a text into its sentences and the rows of its tables. What ends in a colon belongs to what follows it. */
export function splitUnits(markdown: string): readonly Unit[] {
  const units: Unit[] = [];
  const headings = ['', ''];
  let paragraph: string[] = [];
  const title = (): string => headings.filter(Boolean).join(' / ');
  const endParagraph = (): void => {
    units.push(
      ...splitSentences(paragraph.join(' ').trim()).map((text) => ({ title: title(), text, cells: undefined })),
    );
    paragraph = [];
  };
  const lines = markdown.split('\n');
  for (const [k, line] of lines.entries()) {
    const heading = /^(#{2,3}) (.*)$/.exec(line);
    const isTable = line.startsWith('|');
    if (heading !== null || isTable || line.trim() === '' || ITEM.test(line)) endParagraph();
    if (heading !== null) headings.splice(heading[1] === '##' ? 0 : 1, 2, heading[2] ?? '', '');
    else if (isTable) units.push(...readRow(line, lines[k + 1] ?? '', title()));
    else if (!line.startsWith('# ')) paragraph.push(line.replace(ITEM, '').trim());
  }
  endParagraph();
  return withTellingCells(units);
}

/** Eight digits that change with every letter of a unit. */
export function digestOfUnit({ text }: Unit): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

const ITEM = /^(?:-|\d+\.) /;
const RULE = /^\|[-| ]+\|$/;

function splitSentences(paragraph: string): readonly string[] {
  return paragraph.split(/(?<=\.) +/).filter((text) => text.trim() !== '' && !text.endsWith(':'));
}

/** No row, when it is the head of a table or the rule below that. */
function readRow(line: string, next: string, title: string): readonly Unit[] {
  if (RULE.test(line) || RULE.test(next)) return [];
  return [{ title, text: line, cells: splitCells(line)[0] ?? '' }];
}

function withTellingCells(units: readonly Unit[]): readonly Unit[] {
  return units.map((unit) => {
    if (unit.cells === undefined || isAlone(unit, units)) return unit;
    return { ...unit, cells: splitCells(unit.text).slice(0, 2).join(' / ') };
  });
}

function isAlone(unit: Unit, units: readonly Unit[]): boolean {
  return units.every((other) => other === unit || other.title !== unit.title || other.cells !== unit.cells);
}

function splitCells(row: string): readonly string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
