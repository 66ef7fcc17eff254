/**
 * What the address of the page asks for: fragments, because a server and a proxy never see them, so that links are
 * right at any path.
 */
export interface Route {
  /** A name of a view, or `missing`. */
  readonly view: ViewName | 'missing';
  /** What is shown, as written: a number, an id, the name of an account; '' where the view shows everything. */
  readonly of: string;
  /** A part of it, such as `history`; '' for the first. */
  readonly part: string;
  /** Where a page of a list begins; '' at its usual end. */
  readonly at: string;
}

/** What every view is handed. */
export interface ViewProps {
  readonly route: Route;
}

const views = [
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

const overview: Route = { view: 'overview', of: '', part: '', at: '' };

/** Reads the fragment of an address, such as `#/account/alice/history?at=20`; what nobody understands is `missing`. */
export function routeOf(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?');
  if (path === '') return overview;
  const [view = '', of = '', part = '', ...more] = path.split('/').map(decoded);
  const known = views.find((name) => name === view);
  if (known === undefined || more.length > 0) return { ...overview, view: 'missing', of: path };
  return { view: known, of, part, at: decoded(/^at=(.*)$/.exec(query)?.[1] ?? '') };
}

/** The address of a view within the page. */
export function linkTo(view: ViewName, of: string | number | bigint = '', part = '', at: string | number = ''): string {
  const path = [view, String(of), part].map(encodeURIComponent).join('/').replace(/\/+$/, '');
  return `#/${path}${at === '' ? '' : `?at=${encodeURIComponent(at)}`}`;
}

/** People write addresses by hand: what is no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
