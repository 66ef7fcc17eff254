import { Command, Option as Flag } from 'commander';
import { exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { prettyJson } from '../wallet/pretty_json.ts';
import { coloured, escapeControls, type Terminal } from '../wallet/show/terminal.ts';
import { parseUnixPath } from '../client/unix_address.ts';
import { settingsFlags, settingsSaid } from '../settings/command_settings.ts';
import { checks } from './doctor/checks/index.ts';
import { gatherFacts } from './doctor/facts.ts';
import type { Finding, State } from './doctor/finding.ts';
import { needs } from './needed_flags.ts';
import { requireSpared } from './spared_file.ts';

/** As `writeBundle` writes it; another file is not replaced. */
const BUNDLE_BEGINNING = '{\n "written"';

const EXAMPLES = `
It takes the settings that pharos run takes, looks at the machine, at the data folder and at the node that runs there,
and changes nothing. Run it as the user that runs the node.

Examples:
  $ pharos doctor --config node.ini
  $ sudo -u pharos pharos doctor --config /etc/pharos/pharos.ini --json
  $ pharos doctor --config node.ini --bundle report.json    for a report of a defect

The file of --bundle has findings, settings without secrets, versions, the pages and metrics of the node, its last log
lines and a CPU profile of ten seconds. Read it before you hand it on: it names peers, clients and folders.

Exit codes: 0 nothing is wrong, 2 wrong usage or unreadable settings, 7 something is`;

/** The findings about one subject. */
interface Examined {
  readonly check: string;
  readonly findings: readonly Finding[];
}

/** `pharos doctor`: what is wrong with a node, running or not, and what to do. */
export function doctorCommand(): Command {
  const command = settingsFlags(
    new Command('doctor').description('look for what is wrong with a node, running or not, and say what to do'),
  );
  for (const flag of command.options) if (flag.long !== '--config' && flag.long !== '--data-dir') flag.hideHelp();
  return command
    .addOption(
      new Flag('--url <address>', 'where the node answers programs of its own machine, if not where the settings say'),
    )
    .option('--json', 'one JSON document', false)
    .option('--bundle <file>', 'write all that a report of a defect needs into this file, too, for its owner alone')
    .option('--log <file>', 'the log of the node, for --bundle; the journal of the service when left out')
    .hook('preAction', needs({ '--log': ['--bundle'] }))
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Readonly<Record<string, unknown>>) => await examine(flags));
}

async function examine({ json, url, bundle, log, ...flags }: Readonly<Record<string, unknown>>): Promise<void> {
  if (typeof bundle === 'string') requireSpared(bundle, '--bundle', { beginning: BUNDLE_BEGINNING, name: 'bundle' });
  const { values, notices } = settingsSaid(flags);
  const facts = await gatherFacts(values, notices, typeof url === 'string' ? maskAddress(url) : undefined);
  const examined = await Promise.all(
    Object.entries(checks).map(async ([check, look]): Promise<Examined> => ({ check, findings: await look(facts) })),
  );
  process.stdout.write(json === true ? `${prettyJson(asJson(examined))}\n` : asText(examined));
  if (typeof bundle === 'string') {
    const { writeBundle } = await import('./doctor/bundle.ts');
    await writeBundle(bundle, facts, asJson(examined), typeof log === 'string' ? log : undefined);
    process.stderr.write(`wrote ${bundle}; read it before you hand it on: it names peers, clients and folders\n`);
  }
  if (countFindings('wrong', examined) > 0) process.exitCode = exitCodes.alarm;
}

function maskAddress(text: string): string {
  if (parseUnixPath(text) !== undefined) return text;
  if (URL.canParse(text)) return new URL(text).origin;
  throw new Fault(
    'configuration',
    `--url: an address such as http://127.0.0.1:9193 or unix:PATH expected, got ${text}`,
  );
}

function countFindings(state: State, examined: readonly Examined[]): number {
  return examined.flatMap(({ findings }) => findings).filter((finding) => finding.state === state).length;
}

function asJson(examined: readonly Examined[]): Parameters<typeof prettyJson>[0] {
  return {
    wrong: countFindings('wrong', examined),
    look: countFindings('look', examined),
    findings: examined.flatMap(({ check, findings }) =>
      findings.map(({ state, found, advice }) => ({ check, state, found, advice })),
    ),
  };
}

const WORDS = { ok: 'ok', look: 'look', wrong: 'WRONG' } as const;
const COLOURS = { ok: 'green', look: 'yellow', wrong: 'red' } as const;
const [NAME_COLUMNS, WORD_COLUMNS] = [13, 7];

function asText(examined: readonly Examined[]): string {
  const terminal = { colours: process.stdout.isTTY && process.env['NO_COLOR'] === undefined, columns: 0 };
  const lines = examined.flatMap(({ check, findings }) =>
    findings.map((finding) => findingLine(check, finding, terminal)),
  );
  const [bad, odd] = [countFindings('wrong', examined), countFindings('look', examined)];
  const sum = bad + odd === 0 ? 'nothing is wrong' : `${bad} wrong, ${odd} to look at`;
  return `${lines.join('')}${sum}\n`;
}

function findingLine(check: string, { state, found, advice }: Finding, terminal: Terminal): string {
  const name = check.replaceAll('_', ' ').padEnd(NAME_COLUMNS);
  const word = coloured(WORDS[state].padEnd(WORD_COLUMNS), COLOURS[state], terminal);
  const line = `${name}${word}${escapeControls(found).replaceAll('\n', ' ')}\n`;
  return advice === '' ? line : `${line}${' '.repeat(NAME_COLUMNS + WORD_COLUMNS)}-> ${advice}\n`;
}
