/**
 * The environment of each thread: its process's, and Node's flag for stack traces that name the lines of the sources, which a thread
 * doesn't take over from its process. Not as `execArgv`: there Node refuses flags that only a process knows.
 */
export const threadEnvironment: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: '--enable-source-maps' };
