import { exitMeanings } from '../../base/exit_codes.ts';
import { levelMeanings, type LogEvent } from '../../base/log_events/event.ts';
import { logEvents, logEventsBySubject } from '../../base/log_events/index.ts';
import type { Alert, Figure } from '../../base/metrics.ts';
import { programFiles } from '../../base/program_files.ts';
import { signalAnswers } from '../../base/signals.ts';
import type { Catalogue, Setting } from './catalogue.ts';
import type { Guide } from './guide_page.ts';
import { html, withNames, type Content, type Html } from './html.ts';
import { page, section, table, type DocsFile } from './layout.ts';

/** A page that a list of declarations makes. */
export interface ReferencePage {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** Paragraphs before the lists. */
  readonly lead: readonly Html[];
  /** Names that lead to the page by the search. */
  words(catalogue: Catalogue): readonly string[];
  /** The anchor of a row that such a name leads to. */
  anchor?(word: string): string;
  lists(catalogue: Catalogue, guides: readonly Guide[]): readonly List[];
}

/** A table under a heading. The first column names its rows. */
interface List {
  readonly id: string;
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Content[])[];
  /** Anchors of the rows, in their order. */
  readonly anchors?: readonly string[];
}

const settings: ReferencePage = {
  path: 'settings.html',
  title: 'Settings of a node',
  description: 'Each setting of a node: its default and what it does.',
  lead: [
    html`A setting has one name in three places. <code>data-dir</code> is a line of the settings file,
      <code>--data-dir</code> a flag of <code>pharos run</code>, and <code>PHAROS_DATA_DIR</code> a variable of the
      environment.`,
    html`A flag goes before the variable, and the variable before the file. <code>pharos settings</code> prints a file
      with every key and its default.`,
  ],
  words: ({ settings: all }) => Object.keys(all),
  anchor: (word) => `setting-${word}`,
  lists: ({ settings: all }) => {
    const entries = Object.entries(all).map(([name, setting]) => ({ name, setting }));
    const anchor = ({ name }: { readonly name: string }): string => `setting-${name}`;
    return [
      {
        id: 'used',
        title: 'Settings',
        heads: ['setting', 'default', 'does'],
        ...anchoredRows(
          entries.filter(({ setting }) => setting.withoutEffect === undefined),
          anchor,
          ({ name, setting }) => [code(name), shownDefault(setting), shownEffect(setting)],
        ),
      },
      {
        id: 'without-effect',
        title: 'Settings of the ancestor without effect',
        heads: ['setting', 'was', 'reason'],
        ...anchoredRows(
          entries.filter(({ setting }) => setting.withoutEffect !== undefined),
          anchor,
          ({ name, setting: { doc, withoutEffect } }) => [code(name), withNames(doc), withoutEffect],
        ),
      },
    ];
  },
};

const metrics: ReferencePage = {
  path: 'metrics.html',
  title: 'Metrics and alerts',
  description: 'Each metric of a node and of the index, and each alert with its guide.',
  lead: [
    html`A node serves its metrics for Prometheus at <code>/metrics</code>.`,
    html`<code>scripts/operate</code> has a dashboard for Grafana and the rules of the alerts. Both are made from these
      declarations.`,
  ],
  words: ({ metrics: all }) => [
    ...all.flatMap(({ alerts = [] }) => alerts.map(({ alert }) => alert)),
    ...all.map(({ name }) => name),
  ],
  anchor: (word) => `row-${word}`,
  lists: ({ metrics: all }, guides) => [
    {
      id: 'alerts',
      title: 'Alerts',
      heads: ['alert', 'says', 'after', 'guide'],
      ...anchoredRows(
        all.flatMap(({ alerts = [] }) => alerts),
        ({ alert }) => `row-${alert}`,
        (alert) => alertRow(alert, guides),
      ),
    },
    {
      id: 'figures',
      title: 'Figures of the dashboard',
      heads: ['figure', 'query', 'yellow from', 'red from'],
      rows: all.flatMap(({ figure }) => figure ?? []).map((figure) => figureRow(figure)),
    },
    {
      id: 'metrics',
      title: 'Metrics',
      heads: ['metric', 'kind', 'counts'],
      ...anchoredRows(
        all,
        ({ name }) => `row-${name}`,
        ({ name, type, doc }) => [code(name), type, withNames(doc)],
      ),
    },
  ],
};

const exitCodes: ReferencePage = {
  path: 'exit_codes.html',
  title: 'Exit codes, signals and files',
  description: 'The exit codes of all commands, their answers to signals, and the files that they keep.',
  lead: [
    html`All commands share these codes. The help of a command names those that it has.`,
    html`A file that is lost or damaged is named by the program that reads it. The table says what to do.`,
  ],
  anchor: (word) =>
    ({ files: 'files', 'data folder': 'files', 'exit code': 'codes', 'exit status': 'codes' })[word] ?? 'signals',
  words: () => ['exit code', 'exit status', ...signalAnswers.flatMap(({ signals }) => signals), 'files', 'data folder'],
  lists: () => [
    {
      id: 'codes',
      title: 'Codes',
      heads: ['code', 'meaning'],
      rows: Object.entries(exitMeanings).map(([number, meaning]) => [code(number), meaning]),
    },
    {
      id: 'signals',
      title: 'Signals',
      heads: ['program', 'signals', 'answer'],
      rows: signalAnswers.map(({ programs, signals, answer }) => [
        withNames(programs),
        signals.join(', '),
        withNames(answer),
      ]),
    },
    {
      id: 'files',
      title: 'Files',
      heads: ['file', 'place', 'when it is lost'],
      rows: Object.entries(programFiles).map(([kind, { place, lost }]) => [kind, withNames(place), withNames(lost)]),
    },
  ],
};

const log: ReferencePage = {
  path: 'log.html',
  title: 'Log lines',
  description: 'Each event that a node, a signer or an index logs: its level, its fields and what to do.',
  lead: [
    html`Programs write their log to standard error: JSON, one object a line, or text where standard error is a
      terminal. Each line has the name of its event in <code>event</code>. Filter by that name, since texts may change.`,
    html`A cause is logged at most once a minute. The next line of a warning or an error has the number of those in
      between in <code>left_out</code>.`,
  ],
  words: () => ['log level', ...Object.keys(logEvents)],
  anchor: (word) => (word === 'log level' ? 'levels' : `event-${word}`),
  lists: () => [
    {
      id: 'levels',
      title: 'Levels',
      heads: ['level', 'meaning'],
      rows: Object.entries(levelMeanings).map(([level, meaning]) => [code(level), meaning]),
    },
    ...Object.entries(logEventsBySubject).map(([title, events]) => eventList(title, events)),
  ],
};

/** All pages of this kind, in the order of the sidebar. */
export const referencePages: readonly ReferencePage[] = [settings, metrics, log, exitCodes];

/** The page of a list of declarations. */
export function referencePage(declared: ReferencePage, catalogue: Catalogue, guides: readonly Guide[]): DocsFile {
  const { path, title, description, lead } = declared;
  const lists = declared.lists(catalogue, guides);
  return page({
    ...{ path, title, description, site: catalogue.site, sections: lists },
    content: [
      html`<h1>${title}</h1>
        ${lead.map((each) => html`<p>${each}</p>`)}`,
      lists.map((list) => section(list, table(list.title, list.heads, list.rows, list.anchors))),
    ],
  });
}

function eventList(title: string, events: Readonly<Record<string, LogEvent>>): List {
  return {
    id: title.toLowerCase().replaceAll(' ', '-'),
    title,
    heads: ['event', 'level', 'fields', 'meaning', 'what to do'],
    ...anchoredRows(
      Object.entries(events),
      ([name]) => `event-${name}`,
      ([name, event]) => eventRow(name, event),
    ),
  };
}

/** The rows of a list, each with its anchor. */
function anchoredRows<T>(
  items: readonly T[],
  anchor: (item: T) => string,
  row: (item: T) => readonly Content[],
): Pick<List, 'rows' | 'anchors'> {
  return { rows: items.map(row), anchors: items.map(anchor) };
}

function shownDefault({ initial = '' }: Setting): Content {
  return initial === '' ? 'none' : code(initial);
}

function shownEffect({ doc, words = [] }: Setting): Content {
  const choice = words.map((word, k) => html`${k === 0 ? '' : ', '}<code>${word}</code>`);
  return [withNames(doc), words.length === 0 ? undefined : html`: ${choice}`];
}

function eventRow(name: string, { level, fields = {}, meaning, action }: LogEvent): readonly Content[] {
  const names = Object.keys(fields).map((field, k) => html`${k === 0 ? '' : ', '}<code>${field}</code>`);
  return [code(name), level, names, withNames(meaning), withNames(action)];
}

/** A figure that shows a label has no limits. */
function figureRow({ title, expr, unit = '', limits, label }: Figure): readonly Content[] {
  if (limits === undefined) return [title, code(expr), label ?? '', ''];
  return [title, code(expr), `${limits.warning} ${unit}`, `${limits.alarm} ${unit}`];
}

/** A value that only a firing alert has is left out of its summary. */
function alertRow({ alert, summary, for: after, page: name }: Alert, guides: readonly Guide[]): readonly Content[] {
  const guide = guides.find(({ path }) => path === `guides/${name}.html`);
  const link = guide === undefined ? name : html`<a href="${guide.path}">${guide.title}</a>`;
  return [code(alert), summary.replaceAll(/\{\{.*?\}\}/g, '…'), after, link];
}

function code(text: string): Html {
  return html`<code>${text}</code>`;
}
