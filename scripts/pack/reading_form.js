import { readFileSync } from 'node:fs';

/**
 * Reduces modules to the code that reads a transaction from its bytes: codecs without the JSON that they read and
 * describe, operations without what they do to the state. It is half of their size.
 */

/** Modules that have such a form. Those of finality read proofs, which are JSON with packed values in it. */
const rooms = /\/build\/src\/(?:operations|values(?!\/(?:account_name|public_key))|blocks(?!\/finality|\/merkle))/;
/** Modules that need no other form of what they import. */
const readers = /\/build\/src\/(?:client\/verified|blocks\/finality\/|blocks\/merkle)/;

const ofCodecs = ['describe', 'fromJson', 'initial', 'text', 'copy'];
const ofOperations = [
  ...['validate', 'apply', 'authorities', 'impacts', 'setsAuthorities', 'signingKey', 'feeAccount', 'feeRule'],
  ...['refuses', 'doc'],
];

/** True when the module is taken in this form, or is imported by a module that is taken in it. */
export function isTakenForReading(path, importer, isImporterTaken) {
  return (isImporterTaken || readers.test(importer)) && rooms.test(path);
}

/** @param {string} text as compiled */
export function formForReading(path, text) {
  return withBuffer(withoutMembers(pure(text), isOperation(path) ? [...ofCodecs, ...ofOperations] : ofCodecs));
}

function isOperation(path) {
  return /\/operations\/(?!index)/.test(path);
}

/**
 * For bundles in which nobody asks a codec what it reads, since the shapes of results are a table: JSON schemas are left
 * out.
 */
export const withoutDescriptions = {
  name: 'without descriptions',
  setup(build) {
    const elsewhere = /\/build\/src\/(?:state|storage|client\/method_shapes)/;
    build.onLoad({ filter: /\/build\/src\// }, ({ path, suffix }) =>
      suffix === '' && !elsewhere.test(path)
        ? { contents: withBuffer(withoutMembers(pure(readFileSync(path, 'utf8')), droppedNames(path))), loader: 'js' }
        : undefined,
    );
  },
};

/** Imports the global of Node where it is used: a bundle has it with those modules alone. */
function withBuffer(text) {
  return /\bBuffer\.\w/.test(text) && !/^export const Buffer\b/m.test(text)
    ? `import { Buffer } from 'node:buffer';\n${text}`
    : text;
}

/** Returns the codec members to drop: readers of proofs never fill in a missing value. */
function droppedNames(path) {
  if (isOperation(path)) return ['describe', ...ofOperations];
  return /\/blocks\/(?:finality|merkle)/.test(path) ? ['describe', 'initial'] : ['describe'];
}

/**
 * Nothing happens when a module is loaded, so what a constant is made of is left out with it where nobody uses it. The
 * bundler is told so of calls; it would keep those whose arguments read a member.
 */
function pure(text) {
  return text.replaceAll(/^((?:export )?const \w+ = )(?=(?:new )?[\w.]+\(|\(\(\) =>)/gm, '$1/* @__PURE__ */ ');
}

/**
 * A compiled text without these members of its objects. A member ends where something else stands in its column.
 * @param {readonly string[]} names
 */
function withoutMembers(text, names) {
  const member = new RegExp(`^( +)(${names.join('|')})\\b\\s*[:(,](?!.*;$)`);
  const kept = [];
  let column = -1;
  for (const line of text.split('\n')) {
    const at = line.search(/\S/);
    const belongs = column >= 0 && (at < 0 || at > column || (at === column && /[)\]}]/.test(line[at])));
    if (belongs) continue;
    const [, blanks, name] = member.exec(line) ?? [];
    column = blanks?.length ?? -1;
    if (column < 0) kept.push(line);
    // Codecs of lists look at a member of it when they are made.
    if (name === 'fromJson') kept.push(`${blanks}fromJson() {},`);
  }
  return withoutUnused(kept.join('\n'));
}

/** Without the constants of a module that are used by nothing in it, nor by one of these. */
function withoutUnused(text) {
  const unused = [...text.matchAll(/^const (\w+) = .*(?:\n[ )\]}].*)*/gm)].filter(
    ([, name]) => text.match(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}(?![\\w$])`, 'g')).length === 1,
  );
  if (unused.length === 0) return text;
  return withoutUnused(unused.reduce((left, [whole]) => left.replace(whole, () => ''), text));
}
