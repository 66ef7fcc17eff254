import { Fault } from '../../../base/fault.ts';
import type { HttpServerKind } from '../../../jsonrpc/http/http_server.ts';
import { serverLine } from '../../../jsonrpc/http/listen.ts';
import { readHttpServer } from '../../../settings/server_settings.ts';
import type { OptionValues } from '../../../settings/options.ts';
import { PROGRAM_VERSION } from '../../../system/program_version.ts';
import type { Check } from '../check.ts';
import { type Finding, look, ok } from '../finding.ts';

/** Of this program, of what runs it, of what answers HTTP, and of the node that runs. */
export const versions: Check = ({ running, values }) => {
  const own = [
    ok(`pharos ${PROGRAM_VERSION}, Node.js ${process.versions.node}`),
    ...httpFindings(running?.httpServer, values),
  ];
  if (running === undefined || running.version === PROGRAM_VERSION) return own;
  return [
    ...own,
    look(
      `the node that runs is of version ${running.version}`,
      'restart it for the version that is installed; see the guide "Upgrade"',
    ),
  ];
};

/** Reports the HTTP server of a running node, or the one that a node with these settings would use. */
function httpFindings(running: string | undefined, values: OptionValues): Finding[] {
  if (running !== undefined && running !== '') return [ok(`HTTP is answered by ${running}`)];
  const server = readServerKind(values);
  if (server === undefined) return [];
  const found = `HTTP would be answered by ${serverLine({ ...server, install: undefined })}`;
  return [
    server.install === undefined
      ? ok(found)
      : look(found, `uWebSockets.js takes less time for each call: ${server.install}`),
  ];
}

/** Undefined where the settings are wrong, which the check of settings says. */
function readServerKind(values: OptionValues): HttpServerKind | undefined {
  try {
    return readHttpServer(values);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
