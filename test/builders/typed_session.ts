import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** A line that a document shows as typed, and what it shows below it; `…` stands for anything. */
export interface TypedStep {
  readonly typed: string;
  readonly shown: string;
}

/** The steps of a session in a document, whose typed lines begin with `$ `. */
export function splitSteps(session: string): readonly TypedStep[] {
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((step) => ({ typed: step.slice(0, step.indexOf('\n')), shown: step.slice(step.indexOf('\n') + 1) }));
}

function pattern(shown: string): RegExp {
  const literal = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('[^]*?')}$`);
}

const MARK = '--- end of step ---';

/** Types the steps into one shell, and fails where another thing is shown than the document says. */
export function typeSession(steps: readonly TypedStep[], folder: string, env: NodeJS.ProcessEnv): void {
  const script = steps.map(({ typed }) => `${typed}\n_code=$?; echo '${MARK}'; (exit $_code)`).join('\n');
  const { stdout } = spawnSync('sh', ['-c', `exec 2>&1\n${script}`], { cwd: folder, env, encoding: 'utf8' });
  const answers = stdout.split(`${MARK}\n`);
  for (const [k, { typed, shown }] of steps.entries()) assert.match(answers[k] ?? '', pattern(shown), `$ ${typed}`);
}
