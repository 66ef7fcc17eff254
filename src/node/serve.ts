import { systemClock } from '../base/clock.ts';
import { cleaningUp } from '../system/first_cause.ts';
import type { NodeSettings } from '../settings/node_settings.ts';
import { serviceManager } from '../system/service_manager.ts';
import { startNode, type RunningNode } from './start_node.ts';

/**
 * Runs a node until SIGINT or SIGTERM, then stops it cleanly. Throws the Fault that prevented its start or made it stop
 * by itself. A service manager such as systemd is told when it serves, regularly that it still does, and that it stops.
 */
export async function serve(
  settings: NodeSettings,
  started: (node: RunningNode) => void | Promise<void>,
): Promise<void> {
  const stopRequested = signalled();
  const manager = serviceManager(process.env, systemClock, (why) =>
    settings.log.warning(why, 'service_manager_lost', {}),
  );
  const node = await startNode(settings);
  await cleaningUp(
    async () => {
      await started(node);
      manager?.ready(node);
      const fault = await Promise.race([stopRequested, node.failed]);
      manager?.stopping();
      if (fault !== undefined) throw fault;
    },
    () => node.stop(),
  );
}

/**
 * One Ctrl-C can reach a process twice, from the terminal and from npm; a second signal counts only after this time.
 */
const SAME_SIGNAL_MS = 1000;

/** Resolves at the first signal to stop; a later one ends the process at once, for operators who can't wait. */
function signalled(): Promise<undefined> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const stop = (): void => {
      const nowMs = systemClock.nowMs();
      if (firstMs !== undefined && nowMs - firstMs > SAME_SIGNAL_MS) process.exit(1);
      firstMs ??= nowMs;
      resolve(undefined);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  });
}
