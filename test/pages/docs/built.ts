import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import type { Json } from '../../../src/codec/json.ts';
import { makeCatalogue, type Catalogue } from '../../../src/pages/docs/catalogue.ts';
import { commandEntries } from '../../../src/pages/docs/commands.ts';
import type { Samples } from '../../../src/pages/docs/samples.ts';
import { declaredMetrics } from '../../../scripts/monitoring/declared_metrics.js';
import { indexMetrics } from '../../../src/cli/index/index_metrics.ts';
import { nodeMetrics } from '../../../src/node/http/node_metrics.ts';
import { options as settings } from '../../../src/settings/options.ts';
import { listMethods } from '../../../src/rpc/methods.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { profiles } from '../../../src/values/profile.ts';
import { commands } from '../../../src/wallet/commands/index.ts';
import { encoding } from '../../builders/chain.ts';

export const project = new URL('../../../../', import.meta.url);

export const metrics = declaredMetrics(nodeMetrics, indexMetrics);

/** The methods that every node may serve. */
export const methods = listMethods(profiles['default'] ?? assert.fail(), {
  debug: true,
  network: true,
  production: true,
  snapshots: true,
});
export const document: Json = openRpc(methods, encoding, 'Pharos', '1');
export const catalogue: Catalogue = makeCatalogue(
  document,
  { methods, commands: commandEntries(commands, encoding), settings, metrics },
  { style: 'docs.css', script: 'docs.js', icon: 'icon.svg' },
);

/** The samples that the pages show. */
export const samples: Samples = parseSamples(readFileSync(new URL('src/pages/docs/samples.json', project), 'utf8'));

function parseSamples(text: string): Samples;
function parseSamples(text: string): unknown {
  return readJsonText(text);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

/** Text as a reader sees it that stands escaped in markup. Fails for an entity that pages don't have. */
export function unescaped(markup: string): string {
  return markup.replaceAll(/&([a-z0-9#]+);/g, (_, name: string) => entities[name] ?? assert.fail(name));
}
