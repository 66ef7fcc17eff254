const block = 512;
const sizeAt = 124;
const kindAt = 156;
/** Kinds of entries that say something of the next one: its long name, or further members. */
const forNext = new Set(['x', 'g', 'L', 'K']);

/**
 * The archive with those of its files only whose path is wanted.
 * @param {Buffer} archive
 * @param {(path: string) => boolean} isWanted
 */
export function tarOf(archive, isWanted) {
  const kept = [];
  let from = 0;
  for (let at = 0; at + block <= archive.length && archive[at] !== 0;) {
    const header = archive.subarray(at, at + block);
    const end = at + block + Math.ceil(sizeIn(header) / block) * block;
    if (!forNext.has(String.fromCharCode(header[kindAt] ?? 0))) {
      if (isWanted(pathIn(header))) kept.push(archive.subarray(from, end));
      from = end;
    }
    at = end;
  }
  // Two blocks of zeros end an archive.
  return Buffer.concat([...kept, Buffer.alloc(2 * block)]);
}

/** @param {Buffer} header */
function sizeIn(header) {
  return Number.parseInt(header.toString('latin1', sizeAt, sizeAt + 12), 8);
}

/** @param {Buffer} header */
function pathIn(header) {
  const [name = '', prefix = ''] = [header.subarray(0, 100), header.subarray(345, 500)].map(
    (bytes) => bytes.toString('utf8').split('\0')[0],
  );
  return prefix === '' ? name : `${prefix}/${name}`;
}
