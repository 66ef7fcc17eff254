import { httpServerInUse } from '../../../jsonrpc/http/listen.ts';
import { PROGRAM_VERSION } from '../../program_version.ts';
import type { Check } from '../check.ts';
import { look, ok } from '../finding.ts';

/** Of this program, of what runs it, and of the node that runs. */
export const versions: Check = ({ running }) => {
  const own = ok(`pharos ${PROGRAM_VERSION}, Node.js ${process.versions.node}, HTTP by ${httpServerInUse.name}`);
  if (running === undefined || running.version === PROGRAM_VERSION) return [own];
  return [
    own,
    look(`the node that runs is of version ${running.version}`, 'restart it for the version that is installed; see the guide "Upgrade"'),
  ];
};
