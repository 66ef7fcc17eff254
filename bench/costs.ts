import { readFileSync, writeFileSync } from 'node:fs';
import { sheetLoads, type SheetLoad } from './costs/loads.ts';
import { recordCosts } from './costs/record.ts';
import { costsPage, type CostSheet, type LoadCosts } from './costs/sheet.ts';

const here = new URL('../../bench/', import.meta.url);
const data = new URL('costs.json', here);

/** The loads of the sheet whose name contains one of the texts. */
export function loadsNamed(only: readonly string[]): readonly SheetLoad[] {
  return sheetLoads.filter(({ name }) => only.some((part) => name.includes(part)));
}

/** Records these loads, keeps the other ones as they are, and writes costs.json and costs.md. */
export async function recordSheet(machine: string, loads: readonly SheetLoad[]): Promise<void> {
  for (const load of loads) {
    const costs = await recordCosts(load, (text) => console.log(text));
    const sheet = { machine, when: new Date().toISOString(), loads: [costs] };
    console.log(costsPage(sheet));
    keepCosts({ ...sheet, loads: withNewer(readSheet().loads, costs) });
  }
}

/** Draws and writes the kept sheet again, as after a change of how it looks. */
export function drawSheet(): void {
  keepCosts(readSheet());
}

function keepCosts(sheet: CostSheet): void {
  writeFileSync(data, `${JSON.stringify(sheet, null, 1)}\n`);
  writeFileSync(new URL('costs.md', here), costsPage(sheet));
}

function readSheet(): CostSheet {
  const kept: unknown = JSON.parse(readFileSync(data, 'utf8'));
  if (!isSheet(kept)) throw new Error('bench/costs.json: a sheet with loads expected');
  return kept;
}

function isSheet(kept: unknown): kept is CostSheet {
  return typeof kept === 'object' && kept !== null && 'loads' in kept && Array.isArray(kept.loads);
}

function withNewer(kept: readonly LoadCosts[], newer: LoadCosts): readonly LoadCosts[] {
  const others = kept.filter(({ load }) => load !== newer.load);
  return sheetLoads.flatMap(({ name }) => (name === newer.load ? newer : others.filter(({ load }) => load === name)));
}
