import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { prettyJson } from '../../wallet/pretty_json.ts';
import { table, type Column } from '../../wallet/show/table.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { timeText } from '../../values/time.ts';
import { folderElsewhere } from '../../data_folder/folder_elsewhere.ts';
import { readJournal, type JournalLine, type ReadJournal } from '../../witness/signing/signing_journal_lines.ts';
import { parseNumber } from './chain_access.ts';
import { journalFlags, type JournalFlags } from './journal_flags.ts';

interface Flags extends JournalFlags {
  readonly json: boolean;
  readonly last: string;
}

const LINES_SHOWN = 20;
/** Behind the name of the data folder, unless the setting says otherwise. */
const JOURNAL_ENDING = '.signed';

/** `pharos witness journal`: what a signing journal says. */
export function journalCommand(): Command {
  return journalFlags(new Command('journal').description('show what this machine has signed'))
    .option('--last <count>', 'how many of the newest lines', String(LINES_SHOWN))
    .option('--json', 'one JSON document', false)
    .action((flags: Flags) => {
      const journal = readJournal(journalPath(flags.signingJournal));
      process.stdout.write(flags.json ? `${prettyJson(asJson(journal, flags))}\n` : asText(journal, flags));
    });
}

/**
 * The journal of that name; a relative one that isn't here is looked for beside the data folder of a running node that
 * was started elsewhere. Fault `configuration` when there is none.
 */
export function journalPath(named: string): string {
  if (existsSync(named)) return named;
  const node = named.endsWith(JOURNAL_ENDING) ? folderElsewhere(named.slice(0, -JOURNAL_ENDING.length)) : undefined;
  const path = `${node?.folder}${JOURNAL_ENDING}`;
  if (node === undefined || !existsSync(path))
    throw new Fault('configuration', `there is no signing journal at ${named}; name it with --signing-journal`);
  process.stderr.write(`pharos: ${path} is meant, of the node that runs as process ${node.pid}\n`);
  return path;
}

function shownLines({ lines }: ReadJournal, { last }: Flags): readonly JournalLine[] {
  return lines.slice(-Math.max(1, Math.trunc(parseNumber('--last', last))));
}

function asJson(journal: ReadJournal, flags: Flags): Parameters<typeof prettyJson>[0] {
  const interval = Number(flags.blockInterval);
  return {
    lines: journal.lines.length,
    damaged_line: journal.damagedLine ?? null,
    locked_keys: lockedBlocks(journal).map(({ chain, key, slot, id }) => ({
      chain,
      key: keyText(key, flags),
      slot,
      id,
    })),
    records: shownLines(journal, flags).map((line) => recordAsJson(line, keyText(line.key, flags), interval)),
  };
}

function recordAsJson(line: JournalLine, key: string, interval: number): Parameters<typeof prettyJson>[0] {
  const { kind, chain } = line;
  if (kind === 'unlocked') return { kind, chain, key };
  const { slot, digest, id } = line;
  const record = { kind, chain, key, slot, time: timeText(slot * interval), digest, id };
  return kind === 'signed' ? { ...record, previous: line.previous } : record;
}

const COLUMNS: readonly Column[] = [
  { title: 'SLOT', align: 'left' },
  { title: 'WHAT', align: 'left' },
  { title: 'BLOCK', align: 'left' },
  { title: 'KEY', align: 'left' },
];

const WORDS = { signed: 'signed here', foreign: 'signed elsewhere', unlocked: 'unlocked' } as const;

function asText(journal: ReadJournal, flags: Flags): string {
  const rows = shownLines(journal, flags).map((line) => {
    const [time, id] =
      line.kind === 'unlocked' ? ['', ''] : [timeText(line.slot * Number(flags.blockInterval)), line.id];
    return [time, WORDS[line.kind], id, keyText(line.key, flags)];
  });
  const notes = [
    ...(journal.damagedLine === undefined
      ? []
      : [`line ${journal.damagedLine} is damaged: a node waits for a round before it signs`]),
    ...lockedBlocks(journal).map(
      ({ key }) => `${keyText(key, flags)} is locked: another machine signs with it; see pharos witness unlock`,
    ),
  ];
  return `${table(COLUMNS, rows, { colours: false, columns: 0 })}${notes.map((note) => `${note}\n`).join('')}`;
}

/** The foreign blocks whose keys are locked now. */
export function lockedBlocks({ lines }: ReadJournal): Extract<JournalLine, { kind: 'foreign' }>[] {
  const locked = new Map<string, Extract<JournalLine, { kind: 'foreign' }>>();
  for (const line of lines) {
    if (line.kind === 'foreign') locked.set(`${line.chain} ${line.key}`, line);
    if (line.kind === 'unlocked') locked.delete(`${line.chain} ${line.key}`);
  }
  return [...locked.values()];
}

function keyText(key: string, { keyPrefix }: Flags): string {
  return publicKeyText(key, keyPrefix);
}
