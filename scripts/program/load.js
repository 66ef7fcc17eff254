// Lies in build/program/node/ beside the program: starts a part of it, with the functions that set-up has compiled
// before (scripts/program/keep_code.js).
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** Runs a part of a script; what its module exports. */
export function load(part, script) {
  const url = new URL(`${script}.cjs`, import.meta.url);
  const code = partCode(part);
  // One byte a character: the bundler escapes all others. What nobody has compiled before is compiled when it is
  // called.
  const compiled = new Script(readFileSync(url, 'latin1'), {
    filename: url.href,
    cachedData: readContent(code) ?? (part === script ? undefined : readContent(codeFile('cli'))),
  });
  const module = { exports: {} };
  compiled.runInThisContext()(module, module.exports, createRequire(url), url.href);
  const exported = module.exports.parts[part]();
  return process.env.KEEP_PROGRAM_CODE === undefined ? exported : keeping(compiled, code, exported);
}

/**
 * Returns the file of a part's compiled functions: commands that run a node have their own. Those of another Node would
 * be refused.
 */
function partCode(part) {
  return codeFile(part === 'cli' && ['dev', 'run'].includes(process.argv[2]) ? 'node' : part);
}

function codeFile(name) {
  return new URL(`code/${process.version}-${process.arch}/${name}`, import.meta.url);
}

function readContent(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

// Threads are ended from outside, and one that waits for tasks does nothing else.
const keptEveryMs = 200;

/** For set-up: keeps what this part has compiled when it ends, every now and then, and after each of its tasks. */
function keeping(script, file, exported) {
  const keep = () => {
    const whole = new URL(`${file.href}.${process.pid}`);
    writeFileSync(whole, script.createCachedData());
    renameSync(whole, file);
  };
  process.once('exit', keep);
  if (!isMainThread) setInterval(keep, keptEveryMs).unref();
  const tasks = Object.entries(exported).filter(([, value]) => typeof value === 'function');
  const kept = tasks.map(([name, task]) => [name, (...given) => Promise.resolve(task(...given)).finally(keep)]);
  return { ...exported, ...Object.fromEntries(kept) };
}
