// The docs, as pages below build/pages/docs: made of what is declared and compiled, recorded samples and guides.
import { readFileSync } from 'node:fs';
import { inProject } from './place.js';

/** What is rendered from where it lies, in the order in which it is shown. */
const guides = {
  first_app: 'src/pages/guides/first_app.md',
  documents: 'src/pages/guides/documents.md',
  multi_signature: 'src/pages/guides/multi_signature.md',
  witness: 'src/pages/guides/witness.md',
  sql: 'src/pages/guides/sql.md',
  down: 'src/pages/guides/down.md',
  slow: 'src/pages/guides/slow.md',
  behind: 'src/pages/guides/behind.md',
  missed_slots: 'src/pages/guides/missed_slots.md',
  disk_full: 'src/pages/guides/disk_full.md',
  hammered: 'src/pages/guides/hammered.md',
  upgrade: 'src/pages/guides/upgrade.md',
  backup: 'src/pages/guides/backup.md',
  public_node: 'src/pages/guides/public_node.md',
  events: 'src/pages/guides/events.md',
  farm: 'src/pages/guides/farm.md',
  client: 'src/client/README.md',
  migration: 'src/client/MIGRATION.md',
  developing: 'DEVELOPING.md',
  runbook: 'RUNBOOK.md',
};

/**
 * @param {{ style: string, script: string, icon: string }} assets files below build/pages
 * @returns {Promise<readonly { path: string, text: string }[]>} by their paths below build/pages
 */
export async function docsFiles(assets) {
  const { methodsOf } = await import('../build/src/rpc/methods.js');
  const { openRpc } = await import('../build/src/rpc/openrpc.js');
  const { defaultDialect } = await import('../build/src/jsonrpc/dialect.js');
  const { notationOf } = await import('../build/src/rpc/notation_of.js');
  const { profiles } = await import('../build/src/values/profile.js');
  const { PROGRAM_VERSION } = await import('../build/src/node/program_version.js');
  const { catalogueOf } = await import('../build/src/pages/docs/catalogue.js');
  const { docsFiles: filesOf } = await import('../build/src/pages/docs/docs_files.js');
  const { renderGuides } = await import('../build/src/pages/docs/guides.js');

  const methods = methodsOf(profiles.default, { debug: true, network: true, production: true, snapshots: true });
  const document = openRpc(methods, notationOf(profiles.default, '', defaultDialect), 'Pharos', PROGRAM_VERSION);
  const samples = JSON.parse(textOf('src/pages/docs/samples.json'));
  const sources = Object.entries(guides).map(([name, file]) => ({ name, file, text: textOf(file) }));
  const files = filesOf(catalogueOf(document, methods, assets), samples, renderGuides(sources));
  return files.map(({ path, text }) => ({ path: `docs/${path}`, text }));
}

function textOf(file) {
  return readFileSync(inProject(file), 'utf8');
}
