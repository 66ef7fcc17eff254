import { startCopying } from './copying.tsx';
import { startSearch } from './search.tsx';
import { startForms } from './try_it.tsx';

// The pages can be read without: this adds the search, the forms, and buttons that copy.
const docs = new URL(document.documentElement.dataset['docs'] ?? './', document.baseURI);
startSearch(docs);
startForms(docs);
startCopying();
