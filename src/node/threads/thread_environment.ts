/**
 * The environment of each thread: that of its process, and Node's flag for source maps in stack traces, which a thread doesn't inherit. Not in
 * `execArgv`: there Node refuses flags that only a process may have.
 */
export const threadEnvironment: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: '--enable-source-maps' };
