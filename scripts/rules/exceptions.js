/**
 * Places that a rule leaves alone, from a table of `'path name name…': 'why'`. A path that ends in a slash is a folder,
 * a name that ends in `.*` is every member.
 */
export class Exceptions {
  /** @readonly @type {{ readonly path: string, readonly name: string }[]} */
  #entries;
  /** @readonly @type {Set<object>} */
  #needed = new Set();

  /** @param {Readonly<Record<string, string>>} table */
  constructor(table) {
    this.#entries = Object.keys(table).flatMap((key) => {
      const [path = '', ...names] = key.split(' ');
      return names.map((name) => ({ path, name }));
    });
  }

  /** @param {string} path @param {string} name */
  covers(path, name) {
    const found = this.#entries.filter(
      (entry) =>
        (entry.path.endsWith('/') ? path.startsWith(entry.path) : path === entry.path) &&
        (entry.name.endsWith('.*') ? name.startsWith(entry.name.slice(0, -1)) : name === entry.name),
    );
    for (const entry of found) this.#needed.add(entry);
    return found.length > 0;
  }

  /** Those that covered nothing. @returns {string[]} one line for each */
  spare() {
    const left = this.#entries.filter((entry) => !this.#needed.has(entry));
    return left.map(({ path, name }) => `scripts/layers.js: nothing needs the exception for ${path} ${name}`);
  }
}
