import { MEBIBYTE } from '../base/bytes.ts';
import { compareReports } from './compare_reports.ts';
import { drawBars, drawLines, extentOf, shortNumber, type LineChart } from './draw_chart.ts';
import { escapeHtml } from './escape_html.ts';
import { errorChart, lineCharts } from './report_charts.ts';
import type { TrafficReport } from './traffic_report.ts';
import { trafficText } from './traffic_text.ts';
import { judge, type Finding } from './verdict.ts';

/** One page about a run: verdict and summary, charts, all figures. It asks no other host for anything. */
export function htmlReport(report: TrafficReport): string {
  const charts = chartRows([report]);
  return page(`A load of ${report.settings.mix} calls`, [
    column(report),
    ...charts,
    `<details><summary>All figures</summary><pre>${escapeHtml(trafficText(report))}</pre></details>`,
  ]);
}

/** Two runs side by side, each chart on common scales. */
export function htmlComparison(first: TrafficReport, second: TrafficReport): string {
  return page('Two loads side by side', [
    `<div class="pair">${[first, second].map((report, index) => column(report, ['First run', 'Second run'][index])).join('')}</div>`,
    '<h2>Figures</h2>',
    ...figures(first, second),
    ...chartRows([first, second]),
  ]);
}

/** The figures of two runs as a table, and what differs between their loads. */
function figures(first: TrafficReport, second: TrafficReport): string[] {
  const { rows, notes } = compareReports(first, second);
  const drawn = rows.map(
    ([name, a, b, ratio, unit]) =>
      `<tr><th scope="row">${escapeHtml(name)} <small>${escapeHtml(unit)}</small></th><td>${a}</td><td>${b}</td><td>${ratio}</td></tr>`,
  );
  return [
    ...notes.map((note) => `<p class="when">${escapeHtml(note)}</p>`),
    `<table><thead><tr><td></td><th scope="col">first</th><th scope="col">second</th><th scope="col">ratio</th></tr></thead><tbody>${drawn.join('')}</tbody></table>`,
  ];
}

/** The verdict in a word, what it rests on, and the summary. */
function column(report: TrafficReport, heading?: string): string {
  const { started, settings } = report;
  const findings = judge(report);
  const title = heading === undefined ? '' : `<h2>${heading}</h2>`;
  return `<section>${title}<p class="when">${escapeHtml(started.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'))} · mix ${escapeHtml(settings.mix)} · ${settings.urls.map(escapeHtml).join(', ')}</p>
<div class="verdict ${worst(findings)}"><strong>${WORDS[worst(findings)]}</strong><ul>${findings.map(({ grade, text }) => `<li class="${grade}">${escapeHtml(text)}</li>`).join('')}</ul></div>
<dl>${summary(report)
    .map(
      ([name, value, unit]) =>
        `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)} <small>${escapeHtml(unit)}</small></dd></div>`,
    )
    .join('')}</dl></section>`;
}

const WORDS: Readonly<Record<Finding['grade'], string>> = {
  kept: 'Passed',
  note: 'Passed, with remarks',
  broken: 'Failed',
};

function worst(findings: readonly Finding[]): Finding['grade'] {
  const grades = new Set(findings.map(({ grade }) => grade));
  if (grades.has('broken')) return 'broken';
  return grades.has('note') ? 'note' : 'kept';
}

/** The figures that people ask for first. */
function summary(report: TrafficReport): (readonly [name: string, value: string, unit: string])[] {
  const { settings, answeredPerSecond, latencies, refusedCalls, answered, blocks, node, told, audit } = report;
  const { count, p50, p99, p999 } = latencies.acceptance;
  const asked = settings.perSecond === null ? 'calls a second' : `of ${settings.perSecond} calls a second`;
  const cpuSeconds = node?.cpuSeconds ?? told.metrics?.cpuSeconds;
  const mostBytes = node?.mostBytes ?? told.metrics?.mostBytes;
  const fullest = blocks.course.reduce((most, { fullness }) => Math.max(most, fullness), 0);
  return [
    ['Rate reached', shortNumber(answeredPerSecond), asked],
    ...(count === 0
      ? []
      : ([
          ['p50', shortNumber(p50), 'ms'],
          ['p99', shortNumber(p99), 'ms'],
          ['p99.9', shortNumber(p999), 'ms'],
        ] as const)),
    ...(latencies.untilFinal.count === 0
      ? []
      : ([['Until final, p99', shortNumber(latencies.untilFinal.p99), 'ms']] as const)),
    ['Refused', shortNumber((100 * refusedCalls) / Math.max(answered, 1)), '% of the calls'],
    ...(blocks.course.length === 0 ? [] : ([['Fullest block', shortNumber(100 * fullest), '% of its size']] as const)),
    ...fates(audit),
    ...(cpuSeconds === undefined ? [] : ([['CPU of the node', cpuSeconds.toFixed(1), 'seconds']] as const)),
    ...(mostBytes === undefined
      ? []
      : ([['Memory of the node', shortNumber(mostBytes / MEBIBYTE), 'MiB at most']] as const)),
  ];
}

/** Fates of acknowledged transactions, as far as a node could be asked. */
function fates({
  acknowledged,
  unknown,
  lost,
  revoked,
}: TrafficReport['audit']): (readonly [string, string, string])[] {
  if (acknowledged === 0) return [];
  const of = `of ${acknowledged} acknowledged`;
  return [unknown > 0 ? ['Unknown', String(unknown), of] : ['Lost', String(lost + revoked), of]];
}

/** A chart of each report beside the others, on the same scales. */
function chartRows(reports: readonly TrafficReport[]): string[] {
  const all = reports.map(lineCharts);
  const lines = (all[0] ?? []).flatMap(({ title }, index) => {
    const charts = all.flatMap((own): LineChart[] => own.slice(index, index + 1));
    const extent = extentOf(charts);
    return row(
      title,
      charts.map((chart) => drawLines(chart, extent)),
    );
  });
  const errors = reports.map(errorChart);
  const most = Math.max(...errors.flatMap(({ bars }) => bars.map(([, value]) => value)));
  return [
    ...lines,
    ...row(
      'Errors by name',
      errors.map((chart) => drawBars(chart, most)),
    ),
  ];
}

function row(title: string, drawn: readonly string[]): string[] {
  if (drawn.every((chart) => chart === '')) return [];
  const cells = drawn.map((chart) => `<div>${chart === '' ? 'none' : chart}</div>`).join('');
  return [`<h2>${escapeHtml(title)}</h2><div class="${drawn.length > 1 ? 'pair' : 'one'}">${cells}</div>`];
}

function page(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${STYLE}</style>
<h1>${escapeHtml(title)}</h1>
${parts.join('\n')}
</html>
`;
}

// Colours that differ in lightness too, for those who see fewer of them, in a light and a dark form.
const STYLE = `:root{color-scheme:light dark;--text:#1d2329;--soft:#5b6670;--page:#fff;--card:#f4f6f8;--grid:#dfe4e8;--l0:#1b6ca8;--l1:#1f7a3d;--l2:#c4511c;--l3:#7a4fa3;--l4:#8a6d00;--bad:#b3261e;--good:#1f7a3d;--warn:#8a6d00}
@media(prefers-color-scheme:dark){:root{--text:#e6eaee;--soft:#9aa6b1;--page:#12161a;--card:#1c2228;--grid:#2c343c;--l0:#6cb6ee;--l1:#6fd08c;--l2:#ff9a66;--l3:#c3a0ec;--l4:#e0c04a;--bad:#ff8a80;--good:#6fd08c;--warn:#e0c04a}}
body{font:15px/1.45 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:var(--text);background:var(--page);overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:0 0 .5rem}h2{font-size:1rem;margin:1.75rem 0 .25rem}.when{color:var(--soft);margin:.25rem 0 1rem}
.verdict{border-left:.3rem solid var(--good);background:var(--card);padding:.75rem 1rem}.verdict.note{border-color:var(--warn)}.verdict.broken{border-color:var(--bad)}.verdict strong{font-size:1.15rem}
ul{margin:.4rem 0 0;padding-left:1.2rem}li.broken{color:var(--bad)}li.kept::marker{color:var(--good)}li.note::marker{color:var(--warn)}
dl{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0}dl div{background:var(--card);padding:.5rem .9rem;min-width:7rem}dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}small{font-size:.8rem;color:var(--soft)}
svg{width:100%;height:auto;display:block}.one>div,.pair>div{container-type:inline-size;max-width:60rem;min-width:0}text{font:13px system-ui,sans-serif;fill:var(--text)}@container(max-width:34rem){text{font-size:20px}}@container(max-width:24rem){text{font-size:24px}}@container(min-width:50rem){text{font-size:9px}}.legend,.axis{margin:0;font-size:.85rem}.legend{display:flex;flex-wrap:wrap;gap:0 1.2rem}.axis{text-align:right;color:var(--soft)}.tick{fill:var(--soft)}.grid{stroke:var(--grid)}.line{fill:none;stroke-width:1.8;vector-effect:non-scaling-stroke;stroke-linejoin:round;stroke-linecap:round}.line *{vector-effect:non-scaling-stroke}.cbad{stroke:var(--bad);stroke-dasharray:6 3}.fbad{color:var(--bad)}.bars{list-style:none;margin:.4rem 0 0;padding:0}.bars li{display:flex;gap:.75rem;margin:.4rem 0}.bars b{min-width:3.2rem;text-align:right;font-weight:400;font-variant-numeric:tabular-nums}.bars span{flex:1;min-width:0}.bars i{display:block;height:.4rem;min-width:1px;background:var(--bad)}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}td,thead th{text-align:right;white-space:nowrap;padding:.2rem .45rem}tbody th{text-align:left;font-weight:400;padding:.2rem 0}tbody tr{border-top:1px solid var(--grid)}thead th{color:var(--soft);font-weight:400}
${[0, 1, 2, 3, 4].map((index) => `.c${index}{stroke:var(--l${index})}.f${index}{color:var(--l${index})}`).join('')}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1.25rem}@media(max-width:48rem){.pair{grid-template-columns:1fr}}pre{white-space:pre-wrap;background:var(--card);padding:.75rem 1rem;font-size:.85rem}summary{cursor:pointer;margin-top:1.75rem}`;
