import { isJsonObject, type Json } from '../../codec/json.ts';
import { operationTexts } from './calls.ts';
import { jsonMember, type Catalogue, type OperationEntry, type Param } from './catalogue.ts';
import { errorTable } from './errors.ts';
import { callForm, plain, pretty } from './form.ts';
import { html, withNames, type Content } from './html.ts';
import { codeBlock, page, section, type DocsFile, type Section } from './layout.ts';
import { makeLinks } from './links.ts';
import { codeTabs, wrappable } from './method_page.ts';
import { schemaView } from './schema.ts';

/** The page of a kind of operation: what it does and holds, one from a block, why it is refused, and how it is sent. */
export function operationPage(operation: OperationEntry, sample: Json | undefined, catalogue: Catalogue): DocsFile {
  const { name, isVirtual } = operation;
  const body = Array.isArray(sample) ? (sample[1] ?? {}) : {};
  const parts: [Section, ...Content[]][] = [
    [{ id: 'members', title: 'Members' }, schemaView(operation.schema, makeLinks('operations/', catalogue))],
    [{ id: 'sample', title: 'Sample' }, sampleSection(sample)],
    ...(isVirtual ? [] : sendingParts(operation, body)),
    [{ id: 'errors', title: 'Refusals' }, operationRefusals(operation)],
  ];
  return page({
    path: `operations/${name}.html`,
    title: name,
    description: operation.description,
    site: catalogue.site,
    sections: parts.map(([each]) => each),
    content: [
      html`<p class="kind">${isVirtual ? 'Virtual operation' : 'Operation'}</p>
        <h1><code>${wrappable(name)}</code></h1>
        <p class="lead">${withNames(operation.description)}</p>`,
      isVirtual
        ? html`<p class="remarks">Only the chain itself makes it: it stands in histories, not in transactions.</p>`
        : undefined,
      sinceNote(operation),
      parts.map(([each, ...content]) => section(each, ...content)),
    ],
  });
}

function sinceNote({ since }: OperationEntry): Content {
  if (since === undefined) return undefined;
  return html`<p class="remarks">
    From hardfork ${since.hardfork} (version ${since.version}) on: until the chain has applied it, the chain refuses the
    operation with
    <code>hardfork_not_applied</code>.
  </p>`;
}

function sampleSection(sample: Json | undefined): Content {
  if (sample === undefined) return html`<p>None was recorded: it enters the history of no account.</p>`;
  return [
    html`<p>From a block of a chain that was made to record it:</p>`,
    codeBlock(pretty(sample), 'operation', 'Sample operation', 'json'),
  ];
}

function sendingParts({ name, schema }: OperationEntry, body: Json): [Section, ...Content[]][] {
  const texts = operationTexts(name, plain(body));
  const wallet = [html`<h3>Wallet</h3>`, codeBlock(texts.wallet, 'wallet', 'Wallet')];
  return [
    [
      { id: 'try', title: 'Try it' },
      html`<noscript><p>The form needs a script. The lines below do the same without.</p></noscript>`,
      callForm({
        ...{ name, kind: 'operation', effect: 'moves', values: body },
        fields: operationFields(schema),
        buttons: [
          { action: 'check', text: 'Check' },
          { action: 'send', text: 'Send' },
        ],
      }),
    ],
    [
      { id: 'code', title: 'Sent by' },
      html`<p>
        curl and the command line send it in anybody’s name, as only a development chain allows; client and wallet sign
        it.
      </p>`,
      codeTabs(texts, wallet),
    ],
  ];
}

/** The members of the body as fields. */
function operationFields(schema: Json): Param[] {
  const members = jsonMember(schema, 'properties');
  const required = jsonMember(schema, 'required');
  return Object.entries(isJsonObject(members) ? members : {}).map(([name, member]) => ({
    name,
    isRequired: Array.isArray(required) && required.includes(name),
    schema: member,
  }));
}

function operationRefusals({ errors }: OperationEntry): Content {
  return [
    errors.length === 0 ? html`<p>None of its own.</p>` : errorTable(errors),
    html`<p>
      Every transaction can be refused for its signatures, its fee and its time: see
      <a href="../methods/network_broadcast_api.broadcast_transaction.html#errors">broadcast_transaction</a>.
    </p>`,
  ];
}
