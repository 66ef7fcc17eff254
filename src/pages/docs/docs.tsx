import { startSearch } from './search.tsx';
import { startForms } from './try_it.tsx';

const TOLD_MS = 2000;

// The pages can be read without: this adds the search, the forms, and buttons that copy.
const docs = new URL(document.documentElement.dataset['docs'] ?? './', document.baseURI);
startSearch(docs);
startForms(docs);
startCopying();

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
