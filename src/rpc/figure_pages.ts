import type { Page } from '../jsonrpc/http/http_server.ts';

/** A page of figures beside the calls. */
interface FigurePage {
  readonly name: string;
  /** With a word in capitals for each part that the reader of the docs chooses. */
  readonly path: string;
  /** Its groups are those parts. */
  readonly pattern: RegExp;
  /** The form of those parts, as a sentence; '' where there are none. */
  readonly form: string;
  /** The members of the answer, in Markdown. */
  readonly answer: string;
  /** Why a node may have no such page, and what to do. */
  readonly absence?: string;
}

/** The pages of figures. The server, its answers of status 404, the docs and the tests read them here. */
export const figurePages = [
  {
    name: 'blocks',
    path: '/chain/blocks/FIRST-LAST.json',
    pattern: /^\/chain\/blocks\/(\d{1,10})-(\d{1,10})\.json$/,
    form: 'FIRST and LAST are numbers of blocks, of at most ten digits',
    answer: '`blocks`: number, id, bytes and transactions of each, 50 at most',
  },
  {
    name: 'transactions',
    path: '/chain/transactions/DIGITS.json',
    // With eight digits at the least, two billion transactions are one page each.
    pattern: /^\/chain\/transactions\/([0-9a-f]{8,39})\.json$/,
    form: 'DIGITS are the first 8 to 39 digits of an id, in lower-case hex; ask account_history_api.get_transaction with a whole id',
    answer: '`ids`: transactions whose id begins with 8 to 39 lower-case hex digits, 6 at most',
  },
  {
    name: 'pending',
    path: '/chain/pending/ID.json',
    pattern: /^\/chain\/pending\/([0-9a-f]{40})\.json$/,
    form: 'ID is the id of a transaction, of 40 digits in lower-case hex',
    answer: '`status` and its members, as `find_transaction` tells them; `transaction` while that is pending',
  },
  {
    name: 'finality',
    path: '/chain/finality/N.json',
    pattern: /^\/chain\/finality\/(?!0+\.)(\d{1,10})\.json$/,
    form: 'N is the number of a block, 1 or above, of at most ten digits',
    answer:
      '`certificate` by which block N is final, or null, and its `relation` to the block; on chains whose witnesses vote for blocks alone (genesis: `finality`)',
    absence:
      'the witnesses of this chain do not vote for blocks (genesis: finality), so there are no certificates; a block is final from last_irreversible_block_num of database_api.get_dynamic_global_properties down',
  },
  {
    name: 'missedWeek',
    path: '/chain/missed_week.json',
    pattern: /^\/chain\/missed_week\.json$/,
    form: '',
    answer: '`missed`: missed slots of each witness, counted from `since` on, a week at most',
  },
  {
    name: 'lastHour',
    path: '/chain/last_hour.json',
    pattern: /^\/chain\/last_hour\.json$/,
    form: '',
    answer: '`transactions`, `bytes` and `blocks` of each minute of the last hour',
  },
] as const satisfies readonly FigurePage[];

type FigureName = (typeof figurePages)[number]['name'];

/** Answers a page; its arguments are the parts of the path. */
export type FigureAnswer = (first: string, second: string) => Page | Promise<Page>;

/** The answers of a node; undefined for a page that it does not have. */
export type FigureAnswers = Readonly<Record<FigureName, FigureAnswer | undefined>>;

/** All these pages are below this path. */
export const FIGURES_PATH = '/chain/';
const listed: readonly (FigurePage & { readonly name: FigureName })[] = figurePages;

/** The page of a path below `/chain/`. One that there is not says why, and what to ask instead. */
export function figurePage(path: string, answers: FigureAnswers): Page | Promise<Page> {
  for (const { name, pattern, absence = '' } of listed) {
    const parts = pattern.exec(path);
    if (parts !== null) return answers[name]?.(parts[1] ?? '', parts[2] ?? '') ?? noPage(absence);
  }
  const meant = listed.find((page) => page.form !== '' && path.startsWith(fixedPart(page.path)));
  if (meant !== undefined) return noPage(`no such page; the path is ${meant.path}: ${meant.form}`);
  return noPage(`no such page of figures; there are ${listed.map((page) => page.path).join(', ')}`);
}

/** The path before the first part that is chosen. */
function fixedPart(path: string): string {
  return path.slice(0, path.search(/[A-Z]/));
}

function noPage(body: string): Page {
  return { status: 404, contentType: 'text/plain', body };
}

/** The pages as a table in Markdown. */
export function figureTable(): string {
  const rows = listed.map(({ path, answer }) => `| \`${path}\` | ${answer} |`);
  return ['| path | answer |', '|---|---|', ...rows].join('\n');
}
