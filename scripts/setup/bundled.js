import { createRequire } from 'node:module';
import { inProject } from '../place.js';

/** Compiled files into which the library goes that they import: one file is loaded in a tenth of the time of hundreds. */
const withLibraries = ['build/src/jsonrpc/typebox.js'];

/** Puts libraries into the files that are their only importers; whoever imports these files notices nothing. */
export function bundleLibraries() {
  // Not imported above: this file is loaded before anything is installed.
  const esbuild = createRequire(import.meta.url)('esbuild');
  for (const path of withLibraries) {
    const file = inProject(path);
    esbuild.buildSync({ entryPoints: [file], outfile: file, allowOverwrite: true, bundle: true, platform: 'node', format: 'esm' });
  }
}
