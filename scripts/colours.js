// Colours of programs in the docs, in no file of src/ or test/: the types of the highlighter bring those of browsers with them.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';

const languages = { sh: bash, ini, js: javascript, json, py: python, sql, ts: typescript, html: xml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** @type {Readonly<Record<string, string>>} */
const characters = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/**
 * The page with the words of its programs in spans by what they are. Programs of other languages stay as they are.
 * @param {string} page
 */
export function coloured(page) {
  return page.replaceAll(
    /(<pre\b[^>]* data-language="(\w+)"[^>]*><code>)([^<]*)(?=<\/code>)/g,
    (block, begin, language, text) =>
      Object.hasOwn(languages, language)
        ? begin + hljs.highlight(plain(text), { language, ignoreIllegals: true }).value
        : block,
  );
}

/** @param {string} markup text as it stands in markup */
function plain(markup) {
  return markup.replaceAll(/&[a-z0-9#]+;/g, (entity) => characters[entity] ?? entity);
}
