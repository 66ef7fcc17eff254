import type { Check } from '../check.ts';
import { look, ok, wrong } from '../finding.ts';

/** Checks that a node runs, and shows its own report. */
export const node: Check = ({ running, holder, dataFolder, url }) => {
  if (running === undefined) {
    if (holder === undefined) return [ok(`none runs on ${dataFolder}`)];
    const { pid, command } = holder;
    return [
      wrong(
        `process ${pid} (pharos ${command}) has ${dataFolder}, and no node answers at ${url}`,
        'wait if it is starting; a second node needs a data-dir and ports of its own; otherwise read its log, or name its address with --url',
      ),
    ];
  }
  const { isReady, head, headAgeSeconds, setsOwnTime, problems } = running;
  const age = setsOwnTime ? 'at a time that the chain sets itself' : `${headAgeSeconds} seconds old`;
  const at = `head block ${head}, ${age}`;
  const state = isReady
    ? ok(`it runs: ${at}`)
    : wrong(`it runs and is behind: ${at}`, 'see the guide "Why is it behind?"');
  return [
    state,
    ...(holder === undefined
      ? [
          look(
            `the node at ${url} has another data folder than ${dataFolder}`,
            'name its own settings with --config, or --url',
          ),
        ]
      : []),
    ...problems.map((problem) => wrong(problem, 'the page /health of the node says so, too')),
  ];
};
