/** Pharos runs on no older Node; `engines` in package.json says so, too. */
const OLDEST = [20, 12];
/** The oldest that its makers still mend. */
const OLDEST_SUPPORTED = 22;

/** A sentence for who runs an older one; undefined when this one will do. */
export function whyTooOld(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  return isOld
    ? `this is Node ${version}; Pharos needs ${OLDEST.join('.')} or newer: install Node 24 (supported: 24, 22 and 26)`
    : undefined;
}

/** The same for one that still runs Pharos, but gets no security fixes any more. */
export function whyOutOfSupport(version = process.versions.node) {
  const [major] = version.split('.').map(Number);
  return major < OLDEST_SUPPORTED
    ? `Node ${major} is out of support: install Node 24 (supported: 24, 22 and 26)`
    : undefined;
}
