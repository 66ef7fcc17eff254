import { signal } from '@preact/signals';
import { render } from 'preact';
import { connect } from '../../client/index.ts';

const head = signal('asking the node …');

/** The node that this page came from, whatever path a proxy has for it. */
function nodeAddress(): string {
  const here = new URL('.', document.baseURI);
  here.protocol = here.protocol === 'https:' ? 'wss:' : 'ws:';
  return here.href;
}

async function follow(): Promise<void> {
  const node = await connect(nodeAddress());
  const { properties } = await node.call('alexandria_api.get_dynamic_global_properties', {});
  head.value = `block ${properties.head_block_number}`;
}

const root = document.querySelector('#app');
if (root !== null) render(<main>{head}</main>, root);
follow().catch((error: unknown) => (head.value = String(error)));
