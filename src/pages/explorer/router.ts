/**
 * A view and its options in the page's address: fragments, because a server and a proxy never see them, so that links
 * are right at any path.
 */
export interface Route {
  /** A name of a view, or `missing`. */
  readonly view: ViewName | 'missing';
  /** The subject as written: a number, an id, the name of an account; '' when the view shows everything. */
  readonly of: string;
  /** A part of it, such as `history`; '' for the first. */
  readonly part: string;
  /** The start of a list's page; '' at its usual end. */
  readonly at: string;
  /** Further choices, such as the filters of a list. */
  readonly chosen: Chosen;
}

/** Choices by their names. */
export type Chosen = Readonly<Record<string, string>>;

/** The props of every view. */
export interface ViewProps {
  readonly route: Route;
}

/** All views. */
export const views = [
  'overview',
  'blocks',
  'block',
  'transaction',
  'pending',
  'account',
  'accounts',
  'witnesses',
  'applications',
  'application',
  'prices',
  'node',
  'search',
] as const;

/** The names of all views, as they stand in addresses. */
export type ViewName = (typeof views)[number];

const overview: Route = { view: 'overview', of: '', part: '', at: '', chosen: {} };

/** Reads the fragment of an address, such as `#/account/alice/history?at=20`; what nobody understands is `missing`. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?');
  if (path === '') return overview;
  const [view = '', of = '', part = '', ...more] = path.split('/').map(decoded);
  const known = views.find((name) => name === view);
  if (known === undefined || more.length > 0) return { ...overview, view: 'missing', of: path };
  const { at = '', ...chosen } = readChoices(query);
  return { view: known, of, part, at, chosen };
}

/** The address of a view within the page. */
export function viewLink(
  view: ViewName,
  of: string | number | bigint = '',
  part = '',
  at: string | number = '',
  chosen?: Chosen,
): string {
  const names = part === '' ? [view, String(of)] : [view, String(of), part];
  const path = names.map(encodeURIComponent).join('/').replace(/\/$/, '');
  // A view may have hundreds, nearly all without choices (bench/tried.md).
  if (at === '' && chosen === undefined) return `#/${path}`;
  const choices = Object.entries({ at: String(at), ...chosen }).filter(([, value]) => value !== '');
  const query = choices.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `#/${path}${query === '' ? '' : `?${query}`}`;
}

function readChoices(query: string): Record<string, string> {
  const pairs = query.split('&').flatMap((pair): [string, string][] => {
    const [, name = '', value = ''] = /^([a-z]+)=([^]*)$/.exec(pair) ?? [];
    return name === '' ? [] : [[name, decoded(value)]];
  });
  return Object.fromEntries(pairs);
}

/** People write addresses by hand: what is no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
