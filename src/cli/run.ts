import { Command } from 'commander';
import { Fault } from '../base/fault.ts';
import { openLog } from '../base/log.ts';
import { SAFE_PARTICIPATION } from '../witness/required_participation.ts';
import { settingsFlags, settingsSaid } from '../settings/command_settings.ts';
import { readLogSettings } from '../settings/log_settings.ts';
import { readNodeSettings } from '../settings/read_node_settings.ts';
import type { SettingsOf } from '../settings/options.ts';
import { readDataDir } from '../settings/store_settings.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import type { NodeSettings } from '../settings/node_settings.ts';
import { serve } from '../node/serve.ts';
import type { RunningNode } from '../node/start_node.ts';
import type { ProductionSettings } from '../settings/production_settings.ts';
import type { NamedSnapshot } from './begin_as_said.ts';

/** `pharos run`: a node with settings from a file, the environment and flags. */
export function runCommand(): Command {
  return settingsFlags(new Command('run').description('run a node')).action(
    async (flags: Readonly<Record<string, unknown>>) => {
      await runNode(flags);
    },
  );
}

async function runNode(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { values, notices } = settingsSaid(flags);
  const log = openLog(readLogSettings(values), 'front');
  for (const notice of notices) log.warning(notice, 'setting_noticed', {});
  const snapshot = namedSnapshot(values);
  if (snapshot !== undefined) await (await import('./begin_as_said.ts')).beginAsSaid(snapshot, values, log);
  const settings = await readNodeSettings(values, log);
  if (settings.network !== undefined) warnOfLowParticipation(settings.writer.production, log);
  await refuseImpersonator(settings, values);
  const folder = await DataFolder.lock(readDataDir(values), 'run');
  await serve({ ...settings, folder }, async (node) => {
    await explainNewChain(node, log);
    if (node.services.parameters.impersonator !== undefined) log.warning(IMPERSONATED, 'impersonator_set', {});
    if (node.network !== undefined)
      log.notice(networkLine(node.network), 'peers_port_opened', {
        ...{ node: node.network.id, port: node.network.listensOn },
      });
    const endpoints = [...node.ports, ...(node.unixEndpoint === undefined ? [] : [node.unixEndpoint])].join(', ');
    log.notice(
      `chain ${node.chainId}, head block ${node.headBlockNumber}, listening on ${endpoints}, served by ${node.httpServer}`,
      'node_started',
      { chain: node.chainId, head: node.headBlockNumber, endpoints, server: node.httpServer },
    );
  });
  log.notice('stopped: everything is on the disk', 'node_stopped', {});
}

/** The snapshot that a node without a chain begins with, and who vouches for it; undefined when none is named. */
function namedSnapshot(values: SettingsOf<'run'>): NamedSnapshot | undefined {
  const { snapshot: source, 'snapshot-sha256': sha256, 'snapshot-signed-by': signedBy = [] } = values;
  return source === undefined
    ? undefined
    : { source, voucher: { isOwn: values['snapshot-own'] === true, sha256, signedBy } };
}

/** A witness with peers makes blocks that strangers may take for money. */
async function refuseImpersonator(
  { network, writer }: Pick<NodeSettings, 'network' | 'writer'>,
  values: SettingsOf<'run'>,
): Promise<void> {
  if (network === undefined || writer.production === undefined || values['accept-impersonator'] === true) return;
  const { readParameters } = await import('../settings/chain_settings.ts');
  if (readParameters(writer.chain).impersonator === undefined) return;
  throw new Fault(
    'configuration',
    'genesis-json: it names an impersonator, whose key acts for every account; a witness with peers produces for such a chain only with accept-impersonator, which says that it is a development chain',
  );
}

/** A node that begins a chain says what its genesis means, as `pharos genesis check` does. */
async function explainNewChain({ services, headBlockNumber }: RunningNode, log: NodeSettings['log']): Promise<void> {
  if (headBlockNumber > 0) return;
  const { genesisMeaning } = await import('./genesis/meaning.ts');
  for (const { title, lines } of genesisMeaning(services.parameters))
    for (const line of lines) log.notice(line, 'new_chain_explained', { subject: title });
}

const IMPERSONATED =
  'ANYBODY CAN SPEND EVERYTHING ON THIS CHAIN who has the key that its genesis names as impersonator: it acts for every account, so this is a development chain and nothing else';

function warnOfLowParticipation(settings: ProductionSettings | undefined, log: NodeSettings['log']): void {
  const { requiredParticipation: said = SAFE_PARTICIPATION } = settings ?? {};
  if (said >= SAFE_PARTICIPATION) return;
  log.warning(
    `required-participation is ${said / 100}: when the network parts, this part may go on alone and split from the chain for good; 67 is safe`,
    'participation_set_low',
    { percent: said / 100 },
  );
}

function networkLine({ id, listensOn }: NonNullable<RunningNode['network']>): string {
  return `node ${id}, ${listensOn === undefined ? 'no port for peers' : `peers on ${listensOn}`}`;
}
