import { signal } from '@preact/signals';
import { keepText, keptText } from './kept.tsx';
import { viewLink, type ViewName } from './router.ts';

const KEPT_AS = 'pharos checkpoint';

/** Proofs start from this checkpoint; '' when nobody has given one. Kept in this browser. */
export const checkpoint = signal(keptText(KEPT_AS));

/** Takes a checkpoint and keeps it; '' forgets it. */
export function keepCheckpoint(text: string): void {
  checkpoint.value = text;
  keepText(KEPT_AS, text);
}

/** Says for each view without a proof of its own that it is the word of the node. */
const nodesWord: Readonly<Record<Exclude<ViewName, 'block' | 'transaction'>, string>> = {
  overview:
    'Figures and lists of this page are the word of the node. Each block and transaction has a proof of its own.',
  blocks: 'This list is the word of the node. Each block has a proof on its own page.',
  pending: 'These transactions are in no block yet. Nothing proves them.',
  account:
    'Balances, authorities and the history are the word of the node: no proof covers them. Each transaction of the history has a proof of its own.',
  accounts: 'This list and its balances are the word of the node: no proof covers them.',
  witnesses: 'Witnesses, votes and missed slots are the word of the node: no proof covers them.',
  applications: 'This list is the word of the node: no proof covers it.',
  application:
    'The application and its list of documents are the word of the node. The transaction of each document has a proof of its own.',
  prices: 'Prices are the word of the node: no proof covers them.',
  node: 'What the node says of itself is its own word.',
  search: 'What is found is the word of the node, until you open a block or a transaction.',
};

/** Says that a view is not proven, and where to set a checkpoint. Block and transaction say it beside their own proof. */
export function ProofNote({ view }: { readonly view: ViewName | 'missing' }) {
  if (view === 'missing' || view === 'block' || view === 'transaction') return null;
  return (
    <p class="quiet">
      {nodesWord[view]}{' '}
      {checkpoint.value === '' && view !== 'node' && (
        <a href={viewLink('node')}>Give a checkpoint to have blocks and transactions proven.</a>
      )}
    </p>
  );
}
