// The reasons why a command has failed, in a file for each command below build/failures/, which .ci/run shows last.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { inProject } from './place.js';

const mostLines = 16;
const longestLine = 300;

/**
 * Keeps the reasons of a run, in place of those of the run before.
 * @param {string} command such as `check`
 * @param {readonly string[]} reasons none after a run without a failure
 * @param {string} folder
 */
export function keepFailures(command, reasons, folder = inProject('build', 'failures')) {
  const file = `${folder}/${command.replaceAll(/\W+/g, '_')}`;
  rmSync(file, { force: true });
  if (reasons.length === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${[`${command}:`, ...shownReasons(reasons)].join('\n')}\n`);
}

/** @param {readonly string[]} reasons */
function shownReasons(reasons) {
  const lines = reasons.slice(0, mostLines).map((line) => `  ${line.slice(0, longestLine)}`);
  return reasons.length > mostLines ? [...lines, `  and ${reasons.length - mostLines} more`] : lines;
}

const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/**
 * The last lines of an output that say something, without colours.
 * @param {string} output
 * @param {number} most
 */
export function lastLines(output, most) {
  const lines = output.replaceAll(escapes, '').split('\n');
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
    .slice(-most);
}
