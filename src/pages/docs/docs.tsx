import { startSearch } from './search.tsx';
import { startForms } from './try_it.tsx';

const TOLD_MS = 2000;
/** A heading above this line is read. It lies a little below the header. */
const READ_PX = 120;

// The pages can be read without: this adds the search, the forms, buttons that copy, and marks in the lists.
const docs = new URL(document.documentElement.dataset['docs'] ?? './', document.baseURI);
startSearch(docs);
startForms(docs);
startCopying();
showPlace();
followReading();

/** Puts a button beside each program that copies it. */
function startCopying(): void {
  // Only pages that nobody listens in on may use it.
  if (!window.isSecureContext) return;
  for (const block of document.querySelectorAll<HTMLElement>('pre.code')) {
    const label = block.getAttribute('aria-label') ?? 'the text';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${label}`);
    button.addEventListener('click', () => void copy(block, button));
    const frame = document.createElement('div');
    frame.className = 'framed';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

async function copy(block: HTMLElement, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => (button.textContent = 'Copy'), TOLD_MS);
}

/** Scrolls the sidebar to the page's own entry. */
function showPlace(): void {
  const entry = document.querySelector<HTMLElement>('.pages [aria-current]');
  const list = entry?.closest('.pages');
  if (entry && list) list.scrollTop = entry.offsetTop - list.clientHeight / 2;
}

/** Marks the section that is being read in the list of sections. */
function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sections a')];
  const mark = (): void => {
    const top = ({ hash }: HTMLAnchorElement): number =>
      document.getElementById(hash.slice(1))?.getBoundingClientRect().top ?? READ_PX;
    const read = links.findLast((link) => top(link) < READ_PX);
    for (const link of links) link.ariaCurrent = link === read ? 'true' : null;
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}
