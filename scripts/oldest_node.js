/** Pharos runs on no older Node; `engines` in package.json says so, too. */
const OLDEST = [20, 12];

/** A sentence for who runs an older one; undefined when this one will do. */
export function whyTooOld(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  return isOld ? `this is Node ${version}; Pharos needs ${OLDEST.join('.')} or newer: install Node 24 (tested: 20, 22 and 24)` : undefined;
}
