import { present } from '../../base/assert.ts';
import { isJsonObject, type Json } from '../../codec/json.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { genesisFile } from '../../state/genesis_file.ts';
import { genesisMemberList, type GenesisPart, type GenesisUnit } from '../../state/genesis_members.ts';
import { genesisEncoding } from '../../state/read_genesis.ts';
import { profiles } from '../../values/profile.ts';
import type { Catalogue } from './catalogue.ts';
import { html, type Content } from './html.ts';
import { page, section, table, type DocsFile, type Section } from './layout.ts';

export const GENESIS_PATH = 'genesis.html';
export const GENESIS_TITLE = 'Members of a genesis file';

/** Words that lead to the page by the search. */
export const genesisWords: readonly string[] = genesisMemberList.map(([name]) => name);

const parts: Readonly<Record<GenesisPart, string>> = {
  chain: 'The chain',
  accounts: 'Accounts',
  coins: 'Coins and rewards',
  witnesses: 'Witnesses and rounds',
  finality: 'Irreversibility',
  blocks: 'Blocks and transactions',
  fees: 'Fees and limits',
  vesting: 'Vesting',
  tests: 'Chains without value',
};

const units: Readonly<Record<GenesisUnit, string>> = {
  count: '',
  coins: 'millionths of a coin',
  vests: 'millionths of a vesting share',
  percent: 'hundredths of a percent',
  seconds: 'seconds',
  bytes: 'bytes',
  time: '',
  flag: '',
  text: '',
};

/** Every member with its default and what it rules, as the parser has it. */
export function genesisPage({ site }: Catalogue): DocsFile {
  const profile = present(profiles['default'], 'the default profile');
  const encoding = genesisEncoding(profile);
  const initial = genesisFile.toJson(genesisFile.initial(encoding), encoding);
  const usual = isJsonObject(initial) ? initial : {};
  const sections = Object.entries(parts).map(([id, title]) => ({ id, title }));
  return page({
    path: GENESIS_PATH,
    title: GENESIS_TITLE,
    description: 'Every member of the file that a chain begins with: its default and what it rules.',
    site,
    sections,
    content: [
      html`<h1>${GENESIS_TITLE}</h1>
        <p class="lead">
          A chain begins with this file. Its id is the sha256 of the exact text, so no member changes later.
        </p>
        <p>
          <code>pharos genesis create</code> writes the file, and <code>pharos genesis check</code> says what one means.
          A member that the file leaves out has its default.
        </p>`,
      sections.map((each) => section(each, membersTable(each, usual))),
    ],
  });
}

function membersTable({ id, title }: Section, usual: Readonly<Record<string, Json>>): Content {
  const rows = genesisMemberList.filter(([, { part }]) => part === id);
  return table(
    title,
    ['member', 'default', 'rules'],
    rows.map(([name, { doc, unit, range, unsaid }]) => [
      html`<code>${name}</code>`,
      [defaultText(usual[name] ?? unsaid), units[unit]].filter((word) => word !== '').join(' '),
      range === undefined ? doc : `${doc} ${range[0]} to ${range[1]}.`,
    ]),
  );
}

/** A null key, an empty text or list and a fork of nothing are no default that anybody would type. */
function defaultText(json: Json | undefined): string {
  if (json === undefined || json === '' || (typeof json === 'object' && json !== null)) return 'none';
  if (typeof json === 'string' && /(?:0{40}|1{30})/.test(json)) return 'none';
  return typeof json === 'string' ? json : writeJson(json);
}
