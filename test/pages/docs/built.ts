import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import type { Json } from '../../../src/codec/json.ts';
import { catalogueOf, type Catalogue } from '../../../src/pages/docs/catalogue.ts';
import type { Samples } from '../../../src/pages/docs/samples.ts';
import { methodsOf } from '../../../src/rpc/methods.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { profiles } from '../../../src/values/profile.ts';
import { notation } from '../../builders/chain.ts';

export const project = new URL('../../../../', import.meta.url);

/** What every node may serve. */
export const methods = methodsOf(profiles['default'] ?? assert.fail(), { debug: true, network: true, production: true, snapshots: true });
export const document: Json = openRpc(methods, notation, 'Pharos', '1');
export const catalogue: Catalogue = catalogueOf(document, methods, { style: 'docs.css', script: 'docs.js', icon: 'icon.svg' });

/** The samples that the pages show. */
export const samples: Samples = samplesIn(readFileSync(new URL('src/pages/docs/samples.json', project), 'utf8'));

function samplesIn(text: string): Samples;
function samplesIn(text: string): unknown {
  return readJsonText(text);
}
