import { spawn } from 'node:child_process';
import { root } from '../place.js';

/**
 * Runs a program beside the other steps, and keeps what it prints: only who looks for an error wants to read it.
 * @returns {Promise<{ status: number | null, output: string, error?: Error }>}
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const pieces = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece));
    const output = () => Buffer.concat(pieces).toString('utf8');
    child.once('error', (error) => resolve({ status: null, output: output(), error }));
    child.once('close', (status) => resolve({ status, output: output() }));
  });
}
