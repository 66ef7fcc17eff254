import { existsSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { SAFE_PARTICIPATION } from '../../../witness/required_participation.ts';
import { besideDataDir } from '../../../settings/store_settings.ts';
import type { OptionValues } from '../../../settings/options.ts';
import { readJournal } from '../../../witness/signing/signing_journal_lines.ts';
import { lockedBlocks } from '../../witness/journal.ts';
import { isSilent, type WitnessReport } from '../../witness/witness_report.ts';
import type { Check } from '../check.ts';
import { listWitnesses } from '../facts.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';

const PERCENT = 100;

/** Checks that the settings let a witness produce, that it does, and that nothing could make it sign twice. */
export const witness: Check = ({ values, running }) => {
  const names = listWitnesses(values);
  if (names.length === 0) return [ok('this node makes no blocks')];
  const found = [...checkKeys(values), ...checkJournal(values), ...checkRisks(values)];
  if (running === undefined)
    return found.length > 0 ? found : [ok(`${names.join(', ')}: settings and signing journal are in order`)];
  const unknown = names.filter((name) => !running.witnesses.some(({ chain }) => chain.owner === name));
  return [
    ...found,
    ...running.witnesses.map(describeDoing),
    ...unknown.map((name) =>
      wrong(`the chain knows no witness ${name}`, 'pharos witness create makes one of an account'),
    ),
  ];
};

function checkKeys(values: OptionValues): Finding[] {
  const { 'private-key': said = [], 'private-key-file': files = [], 'signer-socket': signer } = values;
  if (signer !== undefined && !existsSync(signer))
    return [wrong(`signer-socket: there is no ${signer}`, 'start pharos signer first')];
  if (said.length > 0 || files.length > 0 || signer !== undefined) return [];
  return [wrong('a witness is named and no key that signs its blocks', 'name its file by private-key-file')];
}

function checkJournal(values: OptionValues): Finding[] {
  if (values['signer-socket'] !== undefined) return [];
  const path = values['signing-journal'] ?? besideDataDir(values, '.signed');
  if (!existsSync(path))
    return [
      look(
        `there is no signing journal at ${path} yet`,
        'a node without one watches for a round before it signs; keep the file for good',
      ),
    ];
  try {
    const journal = readJournal(path);
    const damaged =
      journal.damagedLine === undefined
        ? []
        : [look(`${path}: line ${journal.damagedLine} is damaged`, 'the node waits for a round before it signs')];
    const locked = lockedBlocks(journal).length;
    return locked === 0
      ? damaged
      : [
          ...damaged,
          wrong(
            `${path}: another machine has signed with ${locked === 1 ? 'a key' : `${locked} keys`} of this one`,
            'stop it there, then pharos witness unlock',
          ),
        ];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [wrong(error.message, 'run pharos doctor as the user that runs the node')];
  }
}

function checkRisks(values: OptionValues): Finding[] {
  const percent = values['required-participation'];
  const low =
    percent !== undefined && percent * PERCENT < SAFE_PARTICIPATION && values['initminer-mining-pubkey'] === undefined;
  return [
    ...(values['enable-stale-production'] === true
      ? [
          look(
            'enable-stale-production is on: it makes blocks on an old head, alone if need be',
            'only to begin a chain; turn it off afterwards',
          ),
        ]
      : []),
    ...(low
      ? [look(`required-participation is ${percent}: a part of a parted network may go on alone`, '67 is safe')]
      : []),
  ];
}

function describeDoing(report: WitnessReport): Finding {
  const { chain, own, round } = report;
  const name = chain.owner;
  if (own !== undefined && own.obstacle !== '')
    return wrong(`${name} makes no blocks: ${own.advice}`, 'see the guide "Why did I miss slots?"');
  if (isSilent(report))
    return wrong(`${name} is in the round and makes no blocks`, `pharos witness status ${name} says more`);
  if (own === undefined)
    return look(
      `the node doesn't tell this program how ${name} does`,
      'ask its admin-endpoint with --url, on its own machine',
    );
  return ok(`${name} ${round.isIn ? 'makes its blocks' : 'is ready; it has no slots, as it is in no round'}`);
}
