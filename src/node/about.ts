import { readFileSync } from 'node:fs';
import type { About } from '../rpc/services.ts';
import { PROGRAM_VERSION } from './program_version.ts';

const UNKNOWN_REVISION = '0'.repeat(40);

interface BuildInfo {
  readonly revision: string;
  readonly revisionTime: number;
  readonly compileTime: number;
}

/** The program's version and build; revision and times are written by the build, zero where they are unknown. */
export const about: About = {
  clientVersion: PROGRAM_VERSION,
  ...buildInfo(),
  opensslVersion: process.versions.openssl,
  build: `${process.platform === 'darwin' ? 'osx' : process.platform} ${/64/.test(process.arch) ? 64 : 32}-bit`,
};

function buildInfo(): BuildInfo {
  try {
    return readBuildInfo(readFileSync(new URL('../../build_info.json', import.meta.url), 'utf8'));
  } catch {
    // A build without the file still runs, without this information.
    return { revision: UNKNOWN_REVISION, revisionTime: 0, compileTime: 0 };
  }
}

/** Reads what set-up wrote when it compiled this program. */
function readBuildInfo(text: string): BuildInfo;
function readBuildInfo(text: string): unknown {
  const info: unknown = JSON.parse(text);
  return info;
}
