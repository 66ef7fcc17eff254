// The docs, as pages below build/pages/docs: made of what is declared and compiled, recorded samples and guides.
import { readdirSync, readFileSync } from 'node:fs';
import { coloured } from './colours.js';
import { declaredMetrics } from './monitoring/declared_metrics.js';
import { inProject } from './place.js';

const folder = 'src/pages/guides';

/** The documents to render, by who reads them, in the order in which they are shown. */
const guides = {
  Start: inFolder('first_app', 'development_chains', 'anvil_hardhat'),
  // As a developer of an application meets it, in a project of their own.
  Application: inFolder(
    ...['client', 'client_follow', 'amounts', 'multi_signature', 'test_chain', 'test_runners'],
    ...['client_nodes', 'production'],
  ),
  Build: inFolder(
    ...['follow_chain', 'read_your_writes', 'documents', 'use_wallet', 'trust_no_node'],
    ...['proof_refused', 'sql', 'rebuild_index', 'events', 'events_javascript', 'events_resume', 'events_python'],
    ...['load_test', 'migration', 'old_sdks'],
  ),
  Operate: inFolder(
    ...['install', 'public_node', 'service', 'compose', 'http_servers', 'proxy_maintenance'],
    ...['local_access', 'limits', 'farm', 'event_server'],
    ...['crash', 'backup', 'snapshots', 'pruning', 'upgrade', 'versions'],
    ...['down', 'slow', 'traces', 'behind', 'disk_full', 'hammered'],
  ),
  Witness: inFolder(
    ...['witness', 'operate_witness', 'standby', 'move_witness', 'own_chain', 'upgrade_chain'],
    ...['missed_slots', 'finality', 'stopped_chain'],
  ),
  Reference: referenceFiles('chain_rules', 'wire_format', 'rpc_conventions', 'peer_protocol', 'wallet'),
};

/** @param {readonly string[]} names */
function inFolder(...names) {
  return Object.fromEntries(names.map((name) => [name, `${folder}/${name}.md`]));
}

/** @param {readonly string[]} names */
function referenceFiles(...names) {
  return Object.fromEntries(names.map((name) => [name, `src/pages/reference/${name}.md`]));
}

/**
 * @param {{ style: string, script: string, icon: string }} assets files below build/pages
 * @returns {Promise<readonly { path: string, text: string }[]>} by their paths below build/pages
 */
export async function docsFiles(assets) {
  const { listMethods } = await import('../build/src/rpc/methods.js');
  const { openRpc } = await import('../build/src/rpc/openrpc.js');
  const { defaultDialect } = await import('../build/src/jsonrpc/envelope/dialect.js');
  const { makeEncoding } = await import('../build/src/rpc/make_encoding.js');
  const { profiles } = await import('../build/src/values/profile.js');
  const { commands } = await import('../build/src/wallet/commands/index.js');
  const { options: settings } = await import('../build/src/settings/options.js');
  const { nodeMetrics } = await import('../build/src/node/http/node_metrics.js');
  const { indexMetrics } = await import('../build/src/cli/index/index_metrics.js');
  const { PROGRAM_VERSION } = await import('../build/src/system/program_version.js');
  const { makeCatalogue } = await import('../build/src/pages/docs/catalogue.js');
  const { commandEntries } = await import('../build/src/pages/docs/commands.js');
  const { docsFiles: filesOf } = await import('../build/src/pages/docs/docs_files.js');
  const { renderGuides } = await import('../build/src/pages/docs/guides.js');
  const { messageTable, withTables } = await import('../build/src/pages/docs/tables.js');
  const { figureTable } = await import('../build/src/rpc/figure_pages.js');
  const { messageKinds } = await import('../build/src/wire/messages/index.js');

  const methods = listMethods(profiles.default, { debug: true, network: true, production: true, snapshots: true });
  const encoding = makeEncoding(profiles.default, '', defaultDialect);
  const document = openRpc(methods, encoding, 'Pharos', PROGRAM_VERSION);
  const metrics = declaredMetrics(nodeMetrics, indexMetrics);
  const declared = { methods, commands: commandEntries(commands, encoding), settings, metrics };
  const catalogue = makeCatalogue(document, declared, assets);
  const samples = JSON.parse(readText('src/pages/docs/samples.json'));
  const tables = { messages: messageTable(messageKinds), figures: figureTable() };
  const sources = Object.entries(guides).flatMap(([group, files]) =>
    Object.entries(files).map(([name, file]) => ({ group, name, file, text: withTables(readText(file), tables) })),
  );
  const files = filesOf(catalogue, samples, renderGuides(sources));
  const pages = files.map(({ path, text }) => ({ path: `docs/${path}`, text: coloured(text) }));
  return [...pages, ...guidePictures(folder)];
}

/** @param {string} of a folder with guides; their pictures lie beside them, here and in the docs */
function guidePictures(of) {
  const names = readdirSync(inProject(of)).filter((name) => name.endsWith('.svg'));
  return names.map((name) => ({ path: `docs/guides/${name}`, text: readText(`${of}/${name}`) }));
}

function readText(file) {
  return readFileSync(inProject(file), 'utf8');
}
