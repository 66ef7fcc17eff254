// uWebSockets.js is linked against glibc 2.38, of which it uses no more than the C23 names of three old functions:
// `__isoc23_strtol` differs from `strtol` in taking binary numbers such as 0b1. A copy that asks for the old names runs
// with glibc 2.36.

const SECTION_BYTES = 64;
const SYMBOL_BYTES = 24;
const kinds = { symbols: 11, neededVersions: 0x6ffffffe, symbolVersions: 0x6fffffff };
const C23 = '__isoc23_';
const NEW_VERSION = 'GLIBC_2.38';
/**
 * The first version of each architecture, by its number in the head of the file; it has every function that C always
 * had.
 */
const firstVersions = { 62: 'GLIBC_2.2.5', 183: 'GLIBC_2.17' };
/** A version with this flag may be missing where the file is loaded. */
const WEAK = 2;

/**
 * A copy of a shared object in which the C23 functions have their older names and versions, and glibc 2.38 is no longer asked for.
 * Seven bytes change on x64: a byte of each name, a byte of each version, and a flag.
 * @param {Buffer} file 64 bits, little-endian
 */
export function forOlderGlibc(file) {
  const copy = Buffer.from(file);
  const { symbols, names, symbolVersions, neededVersions } = readSections(copy);
  const versions = readVersions(copy, neededVersions, names);
  const newest = found(versions, NEW_VERSION);
  const first = found(versions, firstVersions[copy.readUInt16LE(18)]);
  for (let k = 0; k < symbols.size / SYMBOL_BYTES; k++) {
    const versionAt = symbolVersions.at + 2 * k;
    if (copy.readUInt16LE(versionAt) !== newest.number) continue;
    const symbolAt = symbols.at + SYMBOL_BYTES * k;
    const nameAt = copy.readUInt32LE(symbolAt);
    const name = readText(copy, names.at + nameAt);
    if (!name.startsWith(C23)) throw new Error(`${name} has no older name`);
    // The older name is the end of the newer one, so the table of names has it already.
    copy.writeUInt32LE(nameAt + C23.length, symbolAt);
    copy.writeUInt16LE(first.number, versionAt);
  }
  copy.writeUInt16LE(WEAK, newest.at + 4);
  return copy;
}

function readSections(file) {
  const tableAt = Number(file.readBigUInt64LE(40));
  const sections = Array.from({ length: file.readUInt16LE(60) }, (_, k) => {
    const at = tableAt + k * SECTION_BYTES;
    return {
      kind: file.readUInt32LE(at + 4),
      at: Number(file.readBigUInt64LE(at + 24)),
      size: Number(file.readBigUInt64LE(at + 32)),
      link: file.readUInt32LE(at + 40),
    };
  });
  const [symbols, symbolVersions, neededVersions] = [kinds.symbols, kinds.symbolVersions, kinds.neededVersions].map(
    (kind) => sections.find((section) => section.kind === kind),
  );
  return { symbols, names: sections[symbols.link], symbolVersions, neededVersions };
}

/** The versions of libc that the file asks for, each with its number and its place. */
function readVersions(file, needed, names) {
  const versions = [];
  let at = needed.at;
  for (let next = -1; next !== 0; at += next) {
    const library = readText(file, names.at + file.readUInt32LE(at + 4));
    let versionAt = at + file.readUInt32LE(at + 8);
    for (let k = 0; k < file.readUInt16LE(at + 2); k++) {
      const name = readText(file, names.at + file.readUInt32LE(versionAt + 8));
      if (library === 'libc.so.6') versions.push({ name, number: file.readUInt16LE(versionAt + 6), at: versionAt });
      versionAt += file.readUInt32LE(versionAt + 12);
    }
    next = file.readUInt32LE(at + 12);
  }
  return versions;
}

function found(versions, wanted) {
  const version = versions.find(({ name }) => name === wanted);
  if (version === undefined) throw new Error(`the file does not ask for ${wanted}`);
  return version;
}

function readText(file, at) {
  return file.toString('latin1', at, file.indexOf(0, at));
}
