/**
 * The tester's environment for programs under test: neither settings of a node, nor of Node, such as certificates that
 * each start would read.
 */
export const ownEnvironment: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('PHAROS_') && !name.startsWith('NODE_')),
);
