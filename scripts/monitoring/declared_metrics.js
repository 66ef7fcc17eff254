/** @typedef {import('./rules_file.js').DeclaredMetric} DeclaredMetric */
/** @typedef {{ readonly declared: readonly DeclaredMetric[] }} Declared */

/** Stands for the parts of a program whose metrics are declared and never read. @type {any} */
const unread = new Proxy(() => {}, { get: () => unread, apply: () => unread });

/**
 * Collects the metrics that these programs declare, in their order, each name once.
 * @param {readonly ((parts: any) => Declared)[]} programs what builds the metrics of each
 * @returns {readonly DeclaredMetric[]}
 */
export function declaredMetrics(...programs) {
  const all = programs.flatMap((metricsOf) => metricsOf(unread).declared);
  return [...new Map(all.map((metric) => [metric.name, metric])).values()];
}
