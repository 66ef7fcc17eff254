import { arch, availableParallelism, platform, release, totalmem } from 'node:os';
import { errorMessage } from '../../base/error_message.ts';
import { pause } from '../../client/abort.ts';
import { systemClock } from '../../base/clock.ts';
import { PROFILE_MS, PROFILE_PATH } from '../../node/watch/profile_page.ts';
import { TOP_PATH } from '../../node/watch/top_page.ts';
import { endpointUrl } from '../../settings/node_address.ts';
import type { Endpoint } from '../../settings/options.ts';
import { shownSettings } from '../../settings/shown_settings.ts';
import { withoutKeys } from '../../system/hidden_keys.ts';
import { parseMembers } from '../../system/json_members.ts';
import { pageOfNode } from '../../system/page_of_node.ts';
import { PROGRAM_VERSION } from '../../system/program_version.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import type { Facts } from './facts.ts';
import { lastLogLines } from './log_lines.ts';

const FOR_OWNER = 0o600;
const ANSWER_MS = 10_000;
const POLL_MS = 500;
/** A busy node ends its profile late. */
const PATIENCE_MS = 3 * PROFILE_MS;

/** Writes into one file what people need who look into a defect of this node, without its secrets. Fault `disk`. */
export async function writeBundle(
  path: string,
  facts: Facts,
  findings: unknown,
  logFile: string | undefined,
): Promise<void> {
  const { values, holder, runningPid, running, url } = facts;
  const bundle = {
    written: new Date(systemClock.nowMs()).toISOString(),
    versions: {
      program: PROGRAM_VERSION,
      ...process.versions,
      running_program: running?.version,
      http_server: running?.httpServer,
    },
    machine: {
      platform: platform(),
      release: release(),
      arch: arch(),
      processors: availableParallelism(),
      memory: totalmem(),
    },
    settings: shownSettings(values),
    findings,
    log: await lastLogLines(logFile, holder?.pid ?? runningPid),
    health: running && (await pageJson(url, '/health')),
    top: running && (await pageJson(url, TOP_PATH)),
    metrics: running && (await metricLines(values['metrics-endpoint'])),
    profile: running && (await threadProfiles(url)),
  };
  writeWholeFile(path, `${withoutKeys(JSON.stringify(bundle, undefined, 1))}\n`, FOR_OWNER);
}

async function pageJson(url: string, path: string): Promise<unknown> {
  const text = await pageText(url, path);
  return parseMembers(text) ?? text;
}

/** A page, or the reason why there is none: a part of a bundle is better than none. */
async function pageText(url: string, path: string): Promise<string> {
  try {
    return (await pageOfNode(url, path, ANSWER_MS)).text;
  } catch (error) {
    return errorMessage(error);
  }
}

async function metricLines(endpoint: Endpoint | undefined): Promise<readonly string[]> {
  if (endpoint === undefined) return ['metrics-endpoint is not set'];
  return (await pageText(endpointUrl(endpoint), '/metrics')).trimEnd().split('\n');
}

/** The profiles of the node's threads; a sentence where it gives none. */
async function threadProfiles(url: string): Promise<unknown> {
  const endMs = systemClock.elapsedMs() + PATIENCE_MS;
  while (systemClock.elapsedMs() < endMs) {
    const text = await pageText(url, PROFILE_PATH);
    const { state, profiles } = parseMembers(text) ?? {};
    if (state === 'ready') return profiles;
    if (state !== 'under_way') return text;
    await pause(systemClock, POLL_MS);
  }
  return 'the node did not end its profile in time';
}
