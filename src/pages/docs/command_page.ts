import type { Catalogue, CommandEntry } from './catalogue.ts';
import { argumentErrors } from './commands.ts';
import { errorTable } from './errors.ts';
import { html, withNames, type Content, type Html } from './html.ts';
import { codeBlock, page, section, type DocsFile, type Section } from './layout.ts';
import { makeLinks } from './links.ts';
import { wrappable } from './method_page.ts';
import { membersView } from './schema.ts';

/** The page of a command of the wallet: what it does, takes and refuses, and an example. */
export function commandPage(command: CommandEntry, catalogue: Catalogue): DocsFile {
  const { name, description, example } = command;
  const parts: [Section, ...Content[]][] = [
    [{ id: 'params', title: 'Params' }, commandParams(command, catalogue)],
    [
      { id: 'example', title: 'Example' },
      html`<p>Typed at the prompt, or behind <code>pharos wallet</code>:</p>`,
      codeBlock(example, 'example', 'Example'),
    ],
    [{ id: 'rpc', title: 'Over RPC' }, overRpc(command)],
    [{ id: 'errors', title: 'Refusals' }, commandRefusals(command)],
  ];
  return page({
    path: `wallet/${name}.html`,
    title: `${name} (wallet)`,
    description,
    site: catalogue.site,
    sections: parts.map(([each]) => each),
    content: [
      html`<p class="kind">Command of the wallet</p>
        <h1><code>${wrappable(name)}</code></h1>
        <p class="lead">${withNames(description)}</p>`,
      commandRemarks(command),
      parts.map(([each, ...content]) => section(each, ...content)),
    ],
  });
}

function commandRemarks({ needsKeys, gainsByKeys, operation, topic }: CommandEntry): Html {
  return html`<p class="remarks">
    <span class="tag">${topic}</span>
    ${needsKeys ? html`<span>The wallet must be unlocked.</span>` : undefined}
    ${gainsByKeys ? html`<span>Shows more when the wallet is unlocked.</span>` : undefined}
    ${operation === undefined ? undefined : html`<span>Makes the operation <a href="../operations/${operation}.html">${operation}</a>.</span>`}
  </p>`;
}

function commandParams({ params, line }: CommandEntry, catalogue: Catalogue): Content {
  if (params.length === 0) return html`<p>None.</p>`;
  const secrets = params.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  return [
    html`<p>By position:</p>`,
    codeBlock(line, 'line', 'Params'),
    membersView(params, makeLinks('wallet/', catalogue)),
    secrets.length === 0
      ? undefined
      : html`<p>The wallet asks for <code>${secrets.join(', ')}</code> with hidden input when you leave it out.</p>`,
  ];
}

const served: Readonly<Record<CommandEntry['overRpc'], string>> = {
  always: 'The RPC of the wallet takes the same params by position, in a list.',
  'without a file name': 'The RPC of the wallet takes this command with an empty file name only.',
  never: 'The RPC of the wallet refuses this command: it shows private keys.',
};

function overRpc({ overRpc: kind }: CommandEntry): Html {
  return html`<p>${served[kind]} <a href="index.html#rpc">How to call it</a>.</p>`;
}

function commandRefusals({ errors, operation }: CommandEntry): Content {
  return [
    errors.length === 0 ? html`<p>None of its own.</p>` : errorTable(errors),
    operation === undefined
      ? undefined
      : html`<p>
          The node refuses what the <a href="../operations/${operation}.html#errors">operation</a> refuses, too.
        </p>`,
    html`<p>Any command can have the <a href="index.html#errors">refusals of every command</a>.</p>`,
  ];
}

/** The page that lists the commands of the wallet by topic. */
export function walletPage(catalogue: Catalogue): DocsFile {
  const { commands } = catalogue;
  const topics = [...new Set(commands.map(({ topic }) => topic))];
  const parts: [Section, ...Content[]][] = [
    [
      { id: 'commands', title: 'Commands' },
      topics.map((topic) => [html`<h3 id="topic-${topic}">${topic}</h3>`, topicList(commands, topic)]),
    ],
    [
      { id: 'rpc', title: 'Over RPC' },
      html`<p>
          <code>pharos wallet --rpc-endpoint</code> serves the commands to programs of the same machine. A call shows
          the token of the wallet's token file. It has params by position, and the answer is
          <code>{"id", "result"}</code>.
        </p>
        <p>
          Every error of a command has the code 1. Go by <code>data.name</code>, which stays. The message is the text of
          the lineage where that had one; these pages show ours.
        </p>`,
    ],
    [{ id: 'broadcast', title: 'The last param, broadcast' }, broadcastPart(catalogue)],
    [{ id: 'errors', title: 'Refusals of every command' }, errorTable(argumentErrors)],
  ];
  return page({
    path: 'wallet/index.html',
    title: 'The wallet',
    description: 'Every command of the wallet, with its params, an example and what it refuses.',
    site: catalogue.site,
    sections: parts.map(([each]) => each),
    content: [
      html`<h1>The wallet</h1>
        <p class="lead">${commands.length} commands, the same at the prompt, on the command line and over RPC.</p>`,
      parts.map(([each, ...content]) => section(each, ...content)),
    ],
  });
}

function topicList(commands: readonly CommandEntry[], topic: string): Html {
  return html`<dl class="entries">
    ${commands
      .filter((command) => command.topic === topic)
      .map(
        ({ name, description }) =>
          html`<div>
            <dt><a href="${name}.html">${name}</a></dt>
            <dd>${withNames(description)}</dd>
          </div>`,
      )}
  </dl>`;
}

function broadcastPart({ commands }: Catalogue): Content {
  const flagged = commands.filter(({ params }) => params.at(-1)?.name === 'broadcast');
  return html`<p>
    ${flagged.length} commands end with <code>broadcast</code>. With true the wallet signs the transaction, sends it and
    waits for its block. With false, or without it, the wallet signs the transaction and answers it; nothing is sent.
  </p>`;
}
