import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { processStart } from '../../src/system/this_boot.ts';
import { waitUntil } from '../outside/wait_until.ts';

const hasProcesses = { skip: existsSync('/proc/self/stat') ? false : 'the system tells nothing of processes' };

test(
  'a process has a beginning while it runs, and none once it has ended, though nobody has asked how',
  hasProcesses,
  async () => {
    assert.match(processStart(process.pid) ?? '', /^\d+$/);
    // The second program takes the place of the shell, and never asks what has become of its child.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [said]: unknown[] = await once(parent.stdout, 'data');
      const pid = Number(String(said));
      assert.match(processStart(pid) ?? '', /^\d+$/);
      await waitUntil('the end of the child', () => processStart(pid) === undefined || undefined);
      assert.doesNotThrow(() => process.kill(pid, 0), 'it is still in the list of processes');
    } finally {
      parent.kill('SIGKILL');
    }
    assert.equal(processStart(0x7fff_ffff), undefined);
  },
);
