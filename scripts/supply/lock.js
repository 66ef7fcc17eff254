// Reads from the lock file which packages the program is made of. See scripts/supply.js.

/** @typedef {{ readonly version: string, readonly integrity?: string, readonly resolved?: string, readonly license?: string, readonly dev?: boolean, readonly optional?: boolean, readonly dependencies?: Readonly<Record<string, string>>, readonly optionalDependencies?: Readonly<Record<string, string>> }} Locked */
/** @typedef {Readonly<Record<string, Locked>>} Lock */

/** Licences that let anybody use, change and hand on what we ship, as long as their text goes with it. */
const forAll = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense', '(MIT AND Zlib)'],
]);
/** Those of tools that build and test, and of which nothing is in a package. */
const forTools = new Set([...forAll, 'MPL-2.0', 'PSF-2.0']);

/** @param {string} folder such as node_modules/a/node_modules/@b/c */
function packageName(folder) {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/**
 * Names of packages whose code is in the bundled program, as the file of their licences lists them.
 * @param {string} licences
 * @returns {Set<string>}
 */
export function bundledNames(licences) {
  return new Set([...licences.matchAll(/^(\S+) \d\S* \([^)]+\)+$/gm)].map(([, name = '']) => name));
}

/**
 * Problems of the lock file: anybody could put another file in the place of a package without integrity, and a host's
 * name would send others to it.
 * @param {Lock} lock
 * @returns {readonly string[]}
 */
export function lockProblems(lock) {
  const problems = [];
  for (const [folder, { integrity = '', resolved, license = '', dev }] of Object.entries(lock)) {
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) problems.push(`${folder}: no sha512 in package-lock.json`);
    if (resolved !== undefined) problems.push(`${folder}: package-lock.json names the host of a registry`);
    if (!(dev === true ? forTools : forAll).has(license)) problems.push(`${folder}: licence ${license || 'unknown'}`);
  }
  return problems;
}

const NOTICE_LIST = '\n  By licence, with what they need themselves:\n';

/**
 * NOTICE, with the list of what users install beside the program.
 * @param {string} notice
 * @param {Lock} lock
 */
export function noticeFile(notice, lock) {
  const [text = ''] = notice.split(NOTICE_LIST);
  /** @type {Map<string, Set<string>>} */
  const byLicence = new Map();
  for (const [folder, { license = 'unknown', dev }] of Object.entries(lock))
    if (dev !== true) byLicence.set(license, (byLicence.get(license) ?? new Set()).add(packageName(folder)));
  const lists = [...byLicence].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${text.trimEnd()}\n${NOTICE_LIST}${lists.map(([licence, names]) => `\n  ${licence}\n${wrapped([...names].toSorted())}`).join('')}`;
}

const WIDTH = 118;

/** @param {readonly string[]} names */
function wrapped(names) {
  let [text, line] = ['', '   '];
  for (const name of names) {
    if (line.length + name.length + 2 > WIDTH) [text, line] = [`${text}${line}\n`, '   '];
    line += ` ${name}${name === names.at(-1) ? '' : ','}`;
  }
  return `${text}${line}\n`;
}

/** @param {string} name @param {string} version */
function packageUrl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/**
 * The bill of materials of the package, in the form CycloneDX: what is installed with it, and what is bundled into it.
 * It has neither time nor serial number, so that the same sources give the same bytes.
 * @param {{ readonly name: string, readonly version: string, readonly license: string, readonly dependencies: Readonly<Record<string, string>> }} project
 * @param {Lock} lock
 * @param {ReadonlySet<string>} bundled
 */
export function billOfMaterials({ name, version, license, dependencies }, lock, bundled) {
  const shipped = Object.entries(lock).filter(([folder, { dev }]) => dev !== true || bundled.has(packageName(folder)));
  const refs = new Map(shipped.map(([folder, locked]) => [folder, packageUrl(packageName(folder), locked.version)]));
  const own = packageUrl(name, version);
  /** @param {string} folder @param {Readonly<Record<string, string>>} wanted */
  const needed = (folder, wanted) =>
    [
      ...new Set(Object.keys(wanted).flatMap((each) => refs.get(foundFolder(each, folder, lock) ?? '') ?? [])),
    ].toSorted();
  const components = new Map(shipped.map(([folder, locked]) => [refs.get(folder), component(folder, locked, bundled)]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': own, name, version, purl: own, licenses: licenceList(license) },
    },
    components: [...components.values()],
    dependencies: [
      { ref: own, dependsOn: needed('', dependencies) },
      ...new Map(
        shipped.map(([folder, { dependencies: all = {}, optionalDependencies: some = {} }]) => [
          refs.get(folder),
          { ref: refs.get(folder), dependsOn: needed(folder, { ...all, ...some }) },
        ]),
      ).values(),
    ],
  };
}

/** @param {string} folder @param {Locked} locked @param {ReadonlySet<string>} bundled */
function component(folder, { version, license = '', integrity = '', optional }, bundled) {
  const name = packageName(folder);
  return {
    type: 'library',
    'bom-ref': packageUrl(name, version),
    name,
    version,
    scope: optional === true ? 'optional' : 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    licenses: licenceList(license),
    purl: packageUrl(name, version),
    ...(bundled.has(name) ? { properties: [{ name: 'pharos:bundled', value: 'true' }] } : {}),
  };
}

/** @param {string} license */
function licenceList(license) {
  return /[ (]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

/**
 * The folder in which a package finds another one: its own, or one above it.
 * @param {string} name
 * @param {string} from
 * @param {Lock} lock
 * @returns {string | undefined}
 */
function foundFolder(name, from, lock) {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in lock) return path;
  return from === ''
    ? undefined
    : foundFolder(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), lock);
}

/**
 * @param {string} output
 * @returns {{ readonly vulnerabilities?: Readonly<Record<string, { readonly name: string, readonly severity: string, readonly range: string, readonly via: readonly (string | { readonly title: string, readonly url: string })[] }>> }}
 */
function auditReport(output) {
  try {
    return JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  } catch {
    return {};
  }
}

/**
 * Known advisories about what is shipped, a line each.
 * @param {string} output of `npm audit --json`
 * @returns {readonly string[]}
 */
export function advisories(output) {
  const { vulnerabilities = {} } = auditReport(output);
  return Object.values(vulnerabilities).map(
    ({ name, severity, range, via }) =>
      `${name} ${range}: ${severity}: ${via.map((each) => (typeof each === 'string' ? `by ${each}` : `${each.title} ${each.url}`)).join('; ')}`,
  );
}

/** @param {string} output of `npm audit --json` */
export function advisoriesSaid(output) {
  const { vulnerabilities } = auditReport(output);
  return vulnerabilities === undefined
    ? 'advisories: not looked up, the registry gives none here'
    : `advisories: ${Object.keys(vulnerabilities).length} about what is shipped`;
}
