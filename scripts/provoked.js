// After a whole run of the tests: whether each refusal that is declared was met by an assertion, and each of an
// operation in a test of its kind.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { listFiles, inProject } from './place.js';

/** The test files of a run note here which refusals they met (test/builders/provoked.ts). */
export const provokedFolder = inProject('build/provoked');

const rooms = ['values', 'state', 'operations', 'blocks', 'chain'];

/** Refusals that no test can provoke, each with the reason. */
const unreachable = {
  insufficient_coin_funds: 'whoever takes from a balance has compared it before',
  fee_negative: 'an offer is at least the required fee, which is not negative, and prices are positive',
};

/** Of kinds that share a check, its refusals are provoked on a chain. */
const provokedOnAChain = new Set(['time_over']);

export function forgetProvoked() {
  rmSync(provokedFolder, { recursive: true, force: true });
}

/** Returns a sentence for each refusal that was not met. */
export async function provokedProblems() {
  const met = metByFile();
  const all = new Set();
  for (const codes of met.values()) for (const code of codes) all.add(code);
  const declared = new Set(
    rooms.flatMap((room) =>
      listFiles(`build/src/${room}`)
        .filter((path) => path.endsWith('.js'))
        .flatMap(declaredCodes),
    ),
  );
  const never = [...declared].filter((code) => !all.has(code) && !(code in unreachable));
  const needless = Object.keys(unreachable).filter((code) => all.has(code));
  return [
    ...never.map((code) => `no test provokes the refusal ${code}`),
    ...needless.map((code) => `the refusal ${code} can be provoked: take it out of scripts/provoked.js`),
    ...(await kindProblems(met)),
  ];
}

/** @returns {Promise<string[]>} */
async function kindProblems(met) {
  const { operationKinds } = await import('../build/src/operations/index.js');
  const kinds = Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual);
  const metGroups = (name) => met.get(name) ?? met.get(name.replace(/_(?:json|binary)$/, '')) ?? new Set();
  return kinds.flatMap(({ name, refuses }) => {
    const isMet = (code) =>
      provokedOnAChain.has(code) || kinds.some((kind) => code in kind.refuses && metGroups(kind.name).has(code));
    return Object.keys(refuses)
      .filter((code) => !isMet(code))
      .map((code) => `no test of ${name}, or of a kind that shares the check, provokes ${code}`);
  });
}

/** The codes that the assertions of each test file met, by the file's name. */
function metByFile() {
  const met = new Map();
  for (const file of existsSync(provokedFolder) ? readdirSync(provokedFolder) : []) {
    const name = basename(file).split('.')[0];
    const codes = readFileSync(`${provokedFolder}/${file}`, 'utf8').split('\n');
    met.set(name, new Set([...(met.get(name) ?? []), ...codes]));
  }
  return met;
}

const DECLARATION = /refusals\(\{([^]*?)\n?\}\);/g;
const CODE = /(?:^|[\n,{])\s*([a-z]\w*): ?(?=['"`{])/g;

/** The codes of all refusals that a compiled file declares. */
function declaredCodes(path) {
  const declarations = [...readFileSync(inProject(path), 'utf8').matchAll(DECLARATION)].map(([, body]) => body ?? '');
  return declarations
    .flatMap((body) => [...body.matchAll(CODE)].map(([, code]) => code ?? ''))
    .filter((code) => !['text', 'lineage', 'lineageCode'].includes(code));
}
