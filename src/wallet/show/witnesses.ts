import type { Json } from '../../codec/json.ts';
import { prettyJson } from '../pretty_json.ts';
import { showMembers } from './members.ts';
import { table } from './table.ts';
import { cellText } from './text.ts';
import type { Terminal } from './terminal.ts';

/** Names of witnesses, one per line. */
export function showWitnesses(result: Json, terminal: Terminal): string {
  const rows = Array.isArray(result) ? result.map((name) => [cellText(name)]) : [];
  return rows.length === 0 ? 'no witnesses\n' : table([{ title: 'WITNESS', align: 'left' }], rows, terminal);
}

/** The slots of the current round; unassigned ones are left out. */
export function showSchedule(result: Json, terminal: Terminal): string {
  const slots = Array.isArray(result) ? result.map((name, slot) => [String(slot), cellText(name)]) : [];
  const held = slots.filter(([, name]) => name !== '');
  return table(
    [
      { title: 'SLOT', align: 'right' },
      { title: 'WITNESS', align: 'left' },
    ],
    held,
    terminal,
  );
}

/** One witness; says so when there is none. */
export function showWitness(result: Json, terminal: Terminal): string {
  return result === null
    ? 'no witness\n'
    : typeof result === 'object'
      ? showMembers(result, terminal)
      : prettyJson(result);
}
