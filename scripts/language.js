// Prints how much of documents, comments and names is not as style asks.
//   node scripts/language.js            this folder
//   node scripts/language.js REVISION   the files that this folder and a revision have in common, before and after
//   node scripts/language.js --lower    keeps what has become better: files may not become worse than that
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { inProject, root } from './place.js';
import { loweredCounts, measured } from './rules/language.js';
import { writtenTexts } from './rules.js';

const countsFile = inProject('scripts/rules/language_counts.json');

/** Counts of bad things in each file, by measure; a file may not have more. */
export function keptCounts() {
  return JSON.parse(readFileSync(countsFile, 'utf8'));
}

/** A line for each measure. */
export function languageFigures(files) {
  return measured(files).map(({ name, all, bad, measure: { percent, isOfEachFile }, files: some }) => {
    const above = [...some.values()].filter((file) => file.bad.length * 100 > file.all * percent).length;
    const target = isOfEachFile ? `at most ${percent} % of each file, ${above} are above` : `at most ${percent} %`;
    return `${((100 * bad) / Math.max(all, 1)).toFixed(1).padStart(5)} %  ${bad} of ${all} ${name} (${target})`;
  });
}

/** Every file of a revision, as text. */
function revisionTexts(revision) {
  const git = (args, input) => execFileSync('git', args, { cwd: root, input, maxBuffer: 2 ** 30 });
  const paths = git(['ls-tree', '-r', '--name-only', revision], '').toString().trim().split('\n');
  let rest = git(['cat-file', '--batch'], paths.map((path) => `${revision}:${path}\n`).join(''));
  return new Map(
    paths.map((path) => {
      const start = rest.indexOf('\n') + 1;
      const end = start + Number(rest.subarray(0, start).toString().split(' ')[2]);
      const text = rest.subarray(start, end).toString();
      rest = rest.subarray(end + 1);
      return [path, text];
    }),
  );
}

function inBoth(files, others) {
  return new Map([...files].filter(([path]) => others.has(path)));
}

function print(title, files) {
  console.log([title, ...languageFigures(files)].join('\n'));
}

if (import.meta.filename === process.argv[1]) {
  const [argument] = process.argv.slice(2);
  const now = writtenTexts();
  if (argument === '--lower') {
    writeFileSync(countsFile, `${JSON.stringify(loweredCounts(now, keptCounts()), null, 2)}\n`);
  } else if (argument !== undefined) {
    const before = revisionTexts(argument);
    print(`files of ${argument} that are here`, inBoth(before, now));
    print('the same files here', inBoth(now, before));
  }
  print('all files here', now);
}
