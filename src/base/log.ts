import pino from 'pino';

/** Severity of a log line, with the lineage's names. */
const logLevels = ['debug', 'info', 'notice', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Structured fields of a log line. Never a private key. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes log lines for the operator. */
export interface Log {
  debug(text: string, fields?: LogFields): void;
  notice(text: string, fields?: LogFields): void;
  warning(text: string, fields?: LogFields): void;
  error(text: string, fields?: LogFields): void;
}

/** Writes one JSON object per line to standard error, from `level` upward. Safe to use from several threads at once. */
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
