import { readFileSync } from 'node:fs';
import { builtFile } from '../../base/built_file.ts';
import type { About } from '../../rpc/services.ts';
import { parseMembers } from '../../system/json_members.ts';
import { PROGRAM_VERSION } from '../../system/program_version.ts';

const UNKNOWN_REVISION = '0'.repeat(40);

interface BuildInfo {
  readonly revision: string;
  readonly revisionTime: number;
  readonly compileTime: number;
}

/** A build without the file still runs, without this information. */
const NO_BUILD_INFO: BuildInfo = { revision: UNKNOWN_REVISION, revisionTime: 0, compileTime: 0 };

/** The program's version and build; revision and times are written by the build, zero where they are unknown. */
export const about: About = {
  clientVersion: PROGRAM_VERSION,
  ...buildInfo(),
  opensslVersion: process.versions.openssl,
  build: `${process.platform === 'darwin' ? 'osx' : process.platform} ${/64/.test(process.arch) ? 64 : 32}-bit`,
};

function buildInfo(): BuildInfo {
  try {
    return readBuildInfo(readFileSync(builtFile('build_info.json'), 'utf8')) ?? NO_BUILD_INFO;
  } catch {
    return NO_BUILD_INFO;
  }
}

/** Reads what set-up wrote when it compiled this program; undefined when that is damaged. */
function readBuildInfo(text: string): BuildInfo | undefined {
  const { revision, revisionTime, compileTime } = parseMembers(text) ?? {};
  const isWhole = typeof revision === 'string' && typeof revisionTime === 'number' && typeof compileTime === 'number';
  return isWhole ? { revision, revisionTime, compileTime } : undefined;
}
