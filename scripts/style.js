import { packageProgram } from './setup/packages.js';

const folders = ['src', 'test', 'bench', 'scripts'];

/** The command line that formats or checks the format; settings in .oxfmtrc.json. Without paths, of everything. */
export function formatCommand(mode, ...paths) {
  return [
    ...packageProgram('oxfmt', 'bin/oxfmt'),
    mode,
    '--no-error-on-unmatched-pattern',
    ...(paths.length > 0 ? paths : folders),
  ];
}

/**
 * The command line of the linter; settings in .oxlintrc.json. A warning is as good as an error: nobody reads warnings.
 */
export function lintCommand(...args) {
  const flags = args.filter((arg) => arg.startsWith('-'));
  const paths = args.filter((arg) => !arg.startsWith('-'));
  return [
    ...packageProgram('oxlint', 'bin/oxlint'),
    '--type-aware',
    '--deny-warnings',
    ...flags,
    ...(paths.length > 0 ? paths : folders),
  ];
}
