import type { Json } from '../../codec/json.ts';
import { callTexts, makeRequest, type CallTexts } from './calls.ts';
import type { Catalogue, MethodEntry } from './catalogue.ts';
import { errorTable } from './errors.ts';
import { callForm, plain, pretty } from './form.ts';
import { html, withNames, type Content, type Html } from './html.ts';
import { codeBlock, page, section, type DocsFile, type Section } from './layout.ts';
import { makeLinks } from './links.ts';
import { prettyText } from './pretty.ts';
import type { Sample } from './samples.ts';
import { membersView, schemaView } from './schema.ts';

/**
 * The page of a method: what it does, takes, answers and refuses, a recorded call, a form, and the same call by other
 * means.
 */
export function methodPage(method: MethodEntry, sample: Sample | undefined, catalogue: Catalogue): DocsFile {
  const links = makeLinks('methods/', catalogue);
  const params = sample?.params ?? {};
  const parts: [Section, ...Content[]][] = [
    [
      { id: 'params', title: 'Params' },
      method.params.length === 0 ? html`<p>None.</p>` : membersView(method.params, links),
    ],
    [{ id: 'result', title: 'Result' }, schemaView(method.result, links)],
    [{ id: 'sample', title: 'Sample' }, sampleSection(method.name, sample)],
    [{ id: 'try', title: 'Try it' }, tryIt(method, params)],
    [{ id: 'code', title: 'The same call as' }, codeTabs(callTexts(method.name, plain(params)))],
    [{ id: 'errors', title: 'Refusals' }, methodRefusals(method)],
  ];
  return page({
    path: `methods/${method.name}.html`,
    title: method.name,
    description: method.description,
    site: catalogue.site,
    sections: parts.map(([each]) => each),
    content: [
      html`<p class="kind">Method</p>
        <h1><code>${wrappable(method.name)}</code></h1>
        <p class="lead">${withNames(method.description)}</p>`,
      methodRemarks(method),
      parts.map(([each, ...content]) => section(each, ...content)),
    ],
  });
}

/** A long name may go over several lines behind its dot and underscores. */
export function wrappable(name: string): Content {
  return name.split(/(?<=[._])/).map((part, k) => [k === 0 ? '' : html`<wbr />`, part]);
}

const effects: Readonly<Record<MethodEntry['effect'], string | undefined>> = {
  reads: undefined,
  sends: 'Hands something on to the chain.',
  moves: 'Moves a development chain: no other chain has it.',
  administers: 'For the operator: answers programs of the node’s own machine only.',
};

function methodRemarks({ stability, effect, needsPrivateKey, usage, isBare }: MethodEntry): Html {
  const remarks: Content[] = [
    html`<span class="tag">${stability}</span>`,
    effects[effect] === undefined ? undefined : html`<span>${effects[effect]}</span>`,
    needsPrivateKey ? html`<span>Takes a private key: answers only where the operator allows it.</span>` : undefined,
    usage === undefined
      ? undefined
      : html`<span>Old clients call <code>${usage}</code>, and get the only member of the result alone.</span>`,
    isBare ? html`<span>For old clients: params go by position.</span>` : undefined,
  ];
  return html`<p class="remarks">${remarks.map((remark) => [remark, ' '])}</p>`;
}

/** A call that was recorded, and its answer. */
function sampleSection(name: string, sample: Sample | undefined): Content {
  if (sample === undefined) return html`<p>None was recorded.</p>`;
  const asked = codeBlock(prettyText(makeRequest(name, plain(sample.params))), 'request', 'Sample call', 'json');
  return [html`<p>Recorded on a development chain. Asked:</p>`, asked, html`<p>Answered:</p>`, answerText(sample)];
}

function answerText(sample: Sample): Content {
  if ('page' in sample)
    return html`<p>What a node serves as <a href="../../${sample.page}">${sample.page}</a> too, as a whole.</p>`;
  if ('result' in sample) return codeBlock(pretty(sample.result), 'result', 'Sample result', 'json');
  const { name, message } = sample.refused;
  return html`<p>Refused, whatever is asked: <code>${name}</code>, “${message}”.</p>`;
}

function tryIt(method: MethodEntry, params: Json): Content {
  const named = Array.isArray(params)
    ? Object.fromEntries(method.params.map(({ name }, k) => [name, params[k] ?? null]))
    : params;
  return [
    html`<noscript><p>The form needs a script. The lines below do the same without.</p></noscript>`,
    callForm({
      ...{ name: method.name, kind: 'method', fields: method.params, values: named },
      effect: method.needsPrivateKey ? 'sends' : method.effect,
      buttons: [{ action: 'call', text: 'Call' }],
    }),
  ];
}

/** One call, several ways. The script keeps them in step with the form. */
export function codeTabs({ curl, client, cli }: CallTexts, more: readonly Content[] = []): Html {
  return html`<div data-codes>
    <h3>curl</h3>
    ${codeBlock(curl, 'curl', 'curl', 'sh')}
    ${client === undefined ? undefined : [html`<h3>pharos-client</h3>`, codeBlock(client, 'client', 'pharos-client', 'js')]}
    <h3>Command line</h3>
    ${codeBlock(cli, 'cli', 'Command line', 'sh')} ${more}
  </div>`;
}

function methodRefusals({ errors, refusesForOperations }: MethodEntry): Content {
  return [
    errors.length === 0 ? html`<p>None of its own.</p>` : errorTable(errors),
    refusesForOperations
      ? html`<p>What the <a href="../index.html#operations">operations</a> in it refuse, too.</p>`
      : undefined,
    html`<p>Any call can have the <a href="../errors.html">errors of every method</a>.</p>`,
  ];
}
