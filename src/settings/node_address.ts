import type { Command } from 'commander';
import type { OptionKey, OptionValues } from './options.ts';

/**
 * The settings that say where a node answers, so that a setting of something else in the environment never stops a
 * command.
 */
const KEYS = [
  'webserver-unix-endpoint',
  'admin-endpoint',
  'webserver-http-endpoint',
  'webserver-ws-endpoint',
] as const satisfies OptionKey[];

type AddressValues = Pick<OptionValues, (typeof KEYS)[number]>;

/** Commands look for a node here when no setting names one. */
const USUAL_ADDRESS = 'http://127.0.0.1:9193';

/**
 * Returns the addresses at which a node with these settings answers programs of its own machine: its Unix socket, its
 * administration, its first port.
 */
export function readAddresses(values: AddressValues): readonly [string, ...string[]] {
  const {
    'webserver-unix-endpoint': path,
    'admin-endpoint': admin,
    'webserver-http-endpoint': http,
    'webserver-ws-endpoint': ws,
  } = values;
  const endpoint = (admin === 'unix' ? undefined : admin) ?? http ?? ws;
  const port = endpoint === undefined ? USUAL_ADDRESS : endpointUrl(endpoint);
  return path === undefined ? [port] : [`unix:${path}`, port];
}

export function endpointUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/**
 * The address of the node that a settings file names, or the environment where there is none; undefined where neither
 * names any. Fault `configuration` for settings that can't be read.
 */
export async function nodeAddress(iniFile: string | undefined): Promise<string | undefined> {
  const said = KEYS.map((key): readonly [string, string | undefined] => {
    const variable = `PHAROS_${key.toUpperCase().replaceAll('-', '_')}`;
    return [variable, process.env[variable]];
  });
  if (iniFile === undefined && said.every(([, value]) => value === undefined)) return undefined;
  const { readConfig } = await import('./read_config.ts');
  return readAddresses(readConfig({ iniFile, environment: Object.fromEntries(said), flags: {} }).values)[0];
}

/** The words of --help for the default address. */
const ADDRESS_ELSE = `where --config or the environment says, its webserver-unix-endpoint first, else ${USUAL_ADDRESS}`;

/** Adds the address of a running node to a command, and the settings that may say it. */
export function addressFlags(command: Command): Command {
  return command
    .option('--url <address>', `http, https, ws or wss address of the node, or unix:PATH (default: ${ADDRESS_ELSE})`)
    .option('-c, --config <file>', 'settings of the node, which say where it answers')
    .hook('preAction', async (holder) => {
      const { url, config } = holder.opts<{ readonly url?: string; readonly config?: string }>();
      if (url === undefined) holder.setOptionValue('url', (await nodeAddress(config)) ?? USUAL_ADDRESS);
    });
}

/** The same for a command that asks several nodes: `--url` is repeatable. */
export function addressesFlags(command: Command): Command {
  return command
    .option(
      '--url <address>',
      `http, https, ws or wss address of a node, or unix:PATH; repeatable (default: ${ADDRESS_ELSE})`,
      (url: string, before: readonly string[]) => [...before, url],
      [],
    )
    .option('-c, --config <file>', 'settings of the node, which say where it answers')
    .hook('preAction', async (holder) => {
      const { url, config } = holder.opts<{ readonly url: readonly string[]; readonly config?: string }>();
      if (url.length === 0) holder.setOptionValue('url', [(await nodeAddress(config)) ?? USUAL_ADDRESS]);
    });
}
