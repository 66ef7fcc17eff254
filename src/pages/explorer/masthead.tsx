import { useEffect, useRef, useState } from 'preact/hooks';
import { head, headNumber } from './live.tsx';
import { ask, lastHeardText, reach } from './node_link.tsx';
import { viewLink, type Route, type ViewName } from './router.ts';
import { listSuggestions, type Suggestion } from './suggestions.ts';
import { countText } from '../../values/words.ts';

/** A pause in typing after which names are asked for. */
const PAUSE_MS = 200;

const places: readonly (readonly [ViewName, string])[] = [
  ['overview', 'Chain'],
  ['blocks', 'Blocks'],
  ['pending', 'Pending'],
  ['accounts', 'Accounts'],
  ['witnesses', 'Witnesses'],
  ['applications', 'Applications'],
  ['prices', 'Prices'],
  ['node', 'Node'],
];

/** Views that belong to a place have it marked. */
const placeOf: Partial<Record<Route['view'], ViewName>> = {
  block: 'blocks',
  transaction: 'blocks',
  account: 'accounts',
  application: 'applications',
};

/** The top of every view: where one is, whether the node answers, and the search. */
export function Masthead({ route }: { readonly route: Route }) {
  const here = placeOf[route.view] ?? route.view;
  return (
    <header>
      <div class="bar">
        <a class="brand" href={viewLink('overview')}>
          <img src="assets/icon.svg" alt="" width="28" height="28" />
          Pharos
        </a>
        <SearchBox />
        <Standing />
      </div>
      <nav class="places" aria-label="Parts of the chain">
        {places.map(([view, title]) => (
          <a key={view} href={viewLink(view)} aria-current={here === view ? 'page' : undefined}>
            {title}
          </a>
        ))}
        <a href="docs/">Docs</a>
      </nav>
    </header>
  );
}

/** In words, and not by a colour alone. */
function Standing() {
  const text =
    reach.value === 'silent'
      ? lastHeardText.value === undefined
        ? 'No connection'
        : `No connection since ${lastHeardText.value}`
      : head.value === undefined
        ? 'Asking the node …'
        : `Block ${countText(head.value.head_block_number)}`;
  return (
    <p class={`standing ${reach.value}`} role="status">
      {text}
    </p>
  );
}

function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const isWriting = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
  const [typed, setTyped] = useState('');
  const suggestions = useSuggestions(typed);
  const search = (event: Event): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    const page = suggestions.find(({ kind, name }) => kind === 'docs page' && name === text);
    if (page !== undefined) location.assign(page.link);
    else if (text !== '') location.hash = viewLink('search', text);
  };
  return (
    <form class="search" role="search" onSubmit={search}>
      <input
        ref={field}
        type="search"
        name="q"
        aria-label="Search for an account, a seed, a block, a transaction, a key, documents or a page of the docs"
        placeholder="Account, block, transaction, key, docs"
        list="suggestions"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
      />
      <datalist id="suggestions">
        {suggestions.map(({ kind, name }) => (
          <option key={`${kind} ${name}`} value={name} label={`${name}, ${kind}`} />
        ))}
      </datalist>
      <button type="submit">Search</button>
    </form>
  );
}

/** Names that begin with what is typed, once somebody pauses. */
function useSuggestions(typed: string): readonly Suggestion[] {
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  useEffect(() => {
    let isWanted = true;
    if (typed === '' && found.length === 0) return undefined;
    const timer = setTimeout(() => {
      ask(async (client) => await listSuggestions(client, typed, headNumber.peek())).then(
        (suggestions) => void (isWanted && setFound(suggestions)),
        () => undefined, // the masthead says when the node is gone
      );
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [typed]);
  return found;
}
