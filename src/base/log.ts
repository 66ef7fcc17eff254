import pino from 'pino';

/** How much a line matters, in the lineage's words. */
const logLevels = ['debug', 'info', 'notice', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a line says besides its text. Never a private key. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes lines for the operator. */
export interface Log {
  debug(text: string, fields?: LogFields): void;
  notice(text: string, fields?: LogFields): void;
  warning(text: string, fields?: LogFields): void;
  error(text: string, fields?: LogFields): void;
}

/** One JSON object a line on standard error, from `level` upward. Safe to use from several threads at once. */
export function openLog(level: LogLevel, thread: string): Log {
  const customLevels = { debug: 20, info: 30, notice: 35, warning: 40, error: 50 };
  const destination = pino.destination({ dest: 2, sync: true });
  const logger = pino({ level, customLevels, useOnlyCustomLevels: true, base: { thread } }, destination);
  return {
    debug: (text, fields = {}) => logger.debug(fields, text),
    notice: (text, fields = {}) => logger.notice(fields, text),
    warning: (text, fields = {}) => logger.warning(fields, text),
    error: (text, fields = {}) => logger.error(fields, text),
  };
}

/** The level that a text names, or undefined. */
export function logLevelOf(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text);
}
