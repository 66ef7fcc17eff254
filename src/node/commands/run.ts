import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import { openLog } from '../../base/log.ts';
import { SAFE_PARTICIPATION } from '../../witness/required_participation.ts';
import { settingsFlags, settingsSaid } from '../config/command_settings.ts';
import { levelOf, nodeSettingsOf } from '../config/node_settings_of.ts';
import type { OptionValues } from '../config/options.ts';
import { dataDirOf } from '../config/standby_settings.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import type { NodeSettings } from '../node_settings.ts';
import { serve } from '../serve.ts';
import type { RunningNode } from '../start_node.ts';
import type { ProductionSettings } from '../threads/messages.ts';

/** `pharos run`: a node with settings from a file, the environment and flags. */
export function runCommand(): Command {
  return settingsFlags(new Command('run').description('run a node')).action(async (flags: Readonly<Record<string, unknown>>) => {
    await runNode(flags);
  });
}

async function runNode(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { values, notices } = settingsSaid(flags);
  const log = openLog(levelOf(values), 'front');
  for (const notice of notices) log.warning(notice);
  if (values.snapshot !== undefined) await (await import('../snapshot/begin_as_said.ts')).beginAsSaid(values, log);
  const settings = await nodeSettingsOf(values, log);
  if (settings.p2p !== undefined) warnOfLowParticipation(settings.writer.production, log);
  await refuseImpersonator(settings, values);
  const folder = await DataFolder.lock(dataDirOf(values), 'run');
  await serve({ ...settings, folder }, (node) => {
    if (node.services.parameters.impersonator !== undefined) log.warning(IMPERSONATED);
    if (node.network !== undefined) log.notice(networkLine(node.network));
    log.notice(
      `chain ${node.chainId}, head block ${node.headBlockNumber}, listening on ${node.ports.join(', ')}, served by ${node.httpServer}`,
    );
  });
  log.notice('stopped: everything is on the disk');
}

/** A witness with peers makes blocks that strangers may take for money. */
async function refuseImpersonator({ p2p, writer }: Pick<NodeSettings, 'p2p' | 'writer'>, values: OptionValues): Promise<void> {
  if (p2p === undefined || writer.production === undefined || values['accept-impersonator'] === true) return;
  const { parametersOf } = await import('../chain_settings.ts');
  if (parametersOf(writer.chain).impersonator === undefined) return;
  throw new Fault(
    'configuration',
    'genesis-json: it names an impersonator, whose key acts for every account; a witness with peers produces for such a chain only with accept-impersonator, which says that it is a development chain',
  );
}

const IMPERSONATED =
  'ANYBODY CAN SPEND EVERYTHING ON THIS CHAIN who has the key that its genesis names as impersonator: it acts for every account, so this is a development chain and nothing else';

function warnOfLowParticipation(settings: ProductionSettings | undefined, log: NodeSettings['log']): void {
  const { requiredParticipation: said = SAFE_PARTICIPATION } = settings ?? {};
  if (said >= SAFE_PARTICIPATION) return;
  log.warning(
    `required-participation is ${said / 100}: when the network parts, this part may go on alone and split from the chain for good; 67 is safe`,
  );
}

function networkLine({ id, listensOn }: NonNullable<RunningNode['network']>): string {
  return `node ${id}, ${listensOn === undefined ? 'no port for peers' : `peers on ${listensOn}`}`;
}
