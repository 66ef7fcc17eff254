import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { NodeSilent } from '../../client/index.ts';
import { Failure } from './asked.tsx';
import { ProofNote } from './checkpoint.tsx';
import { followChain } from './live.tsx';
import { forgetMissing, MissingNote } from './missing.tsx';
import { Masthead } from './masthead.tsx';
import { ask, comebacks, lastHeardText, reach } from './node_link.tsx';
import { goToPlace, keepPlaces } from './places.tsx';
import { parseRoute, type Route, type ViewName, type ViewProps } from './router.ts';
import { Overview } from './views/overview.tsx';
import { ZoneSwitch } from './zone.tsx';

type View = ComponentType<ViewProps>;
/** A view, or an error in place of one that could not be loaded. */
type Loaded = { readonly is: View } | Error;

/** Views besides the first page load when they are opened. */
const later: Readonly<Record<Exclude<ViewName, 'overview'>, () => Promise<View>>> = {
  blocks: async () => (await import('./views/blocks.tsx')).Blocks,
  block: async () => (await import('./views/block.tsx')).Block,
  transaction: async () => (await import('./views/transaction.tsx')).Transaction,
  pending: async () => (await import('./views/pending.tsx')).Pending,
  account: async () => (await import('./views/account.tsx')).Account,
  accounts: async () => (await import('./views/accounts.tsx')).Accounts,
  witnesses: async () => (await import('./views/witnesses.tsx')).Witnesses,
  applications: async () => (await import('./views/applications.tsx')).Applications,
  application: async () => (await import('./views/application.tsx')).Application,
  prices: async () => (await import('./views/prices.tsx')).Prices,
  node: async () => (await import('./views/node.tsx')).NodeView,
  search: async () => (await import('./views/search.tsx')).Search,
};

const route = signal(parseRoute(location.hash));
/** True once somebody has gone from one view to another: only then the focus moves, to the start of the new one. */
const hasMoved = signal(false);
addEventListener('hashchange', () => {
  hasMoved.value = true;
  forgetMissing();
  route.value = parseRoute(location.hash);
});
keepPlaces();

export function App() {
  const [error, setError] = useState<unknown>(undefined);
  const isFollowing = useRef(false);
  const once = comebacks.value;
  useEffect(() => {
    if (isFollowing.current) return;
    isFollowing.current = true;
    followChain().then(
      () => setError(undefined),
      (reason: unknown) => {
        isFollowing.current = false;
        setError(reason);
      },
    );
  }, [once]);
  return (
    <>
      <a class="skip" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <Masthead route={route.value} />
      <main id="content" tabIndex={-1} class={lastHeardText.value === undefined ? undefined : 'stale'}>
        {lastHeardText.value !== undefined && (
          <p class="notice">As of {lastHeardText.value}: the node has not answered since.</p>
        )}
        {error !== undefined && <Failure error={error} />}
        <Shown route={route.value} />
        <MissingNote />
        <ProofNote view={route.value.view} />
      </main>
      <footer>
        <span>
          Pharos shows what this node knows of its chain. <a href="docs/">Methods and guides for programs</a>
        </span>
        <span class="keys">
          <kbd>/</kbd> searches
        </span>
        <ZoneSwitch />
      </footer>
    </>
  );
}

/** A fragment that names a place would be taken for a view. */
function focusContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}

function Shown({ route: shown }: ViewProps) {
  const view = useView(shown.view);
  const path = `${shown.view}/${shown.of}/${shown.part}?${shown.at}`;
  useEffect(() => {
    if (view === undefined) return undefined;
    if (hasMoved.value) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    return goToPlace();
  }, [path, view]);
  if (view === undefined) return <p class="quiet">Loading …</p>;
  if (view instanceof Error) return <Unloaded />;
  const { is: Is } = view;
  return <Is key={`${shown.view}/${shown.of}`} route={shown} />;
}

function useView(name: Route['view']): Loaded | undefined {
  const once = comebacks.value;
  const [loaded, setLoaded] = useState<{ readonly name: string; readonly view: Loaded }>();
  useEffect(() => {
    if (name === 'overview' || name === 'missing') return undefined;
    let isWanted = true; // another view may be opened meanwhile, and load before this one
    const take = (view: Loaded): void => void (isWanted && setLoaded({ name, view }));
    later[name]().then(
      (is) => take({ is }),
      () => {
        take(new Error(name));
        void ask(async (client) => await client.call('alexandria_api.get_version', {})).catch(() => undefined); // whoever is gone is noticed
      },
    );
    return () => void (isWanted = false);
  }, [name, once]);
  if (name === 'overview') return { is: Overview };
  if (name === 'missing') return { is: Missing };
  return loaded?.name === name ? loaded.view : undefined;
}

/** Either nobody answers, which is tried again once somebody does, or the node is another version. */
function Unloaded() {
  return (
    <>
      <h1 tabIndex={-1}>Not loaded</h1>
      {reach.value === 'answers' ? (
        <p class="notice">
          This part of the page is no longer there: the node has another version by now. Load the page anew.
        </p>
      ) : (
        <Failure error={new NodeSilent('not loaded', false)} />
      )}
    </>
  );
}

function Missing({ route: { of } }: ViewProps) {
  return (
    <>
      <h1 tabIndex={-1}>There is no such page</h1>
      <p class="notice">
        Nothing is shown at “<bdi>{of}</bdi>”. Search above for an account, a block or a transaction, or begin at{' '}
        <a href="#/">the head of the chain</a>.
      </p>
    </>
  );
}
