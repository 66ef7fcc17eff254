import { isatty } from 'node:tty';
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

const STANDARD_ERROR = 2;
const customLevels = { debug: 20, info: 30, notice: 35, warning: 40, error: 50 };

/**
 * Writes one line per entry to standard error, from `level` upward: for people on a terminal, JSON otherwise. Safe to
 * use from several threads at once.
 */
export function openLog(level: LogLevel, thread: string): Log {
  const lines = pino.destination({ dest: STANDARD_ERROR, sync: true });
  const destination = isatty(STANDARD_ERROR)
    ? { write: (line: string) => void lines.write(lineForPeople(line)) }
    : lines;
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

/**
 * Of a line of pino's, the one for a terminal: `22:05:31 notice caught up at block 54 (network)`, with its fields
 * behind the text.
 */
export function lineForPeople(line: string): string {
  const { level, time, thread, msg, ...fields } = membersOf(line);
  const [name = ''] = Object.entries(customLevels).find(([, number]) => number === level) ?? [];
  const said = Object.entries(fields).map(
    ([field, value]) => ` ${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${new Date(Number(time)).toTimeString().slice(0, CLOCK_DIGITS)} ${name.padEnd(LEVEL_WIDTH)} ${String(msg)}${said.join('')} (${String(thread)})\n`;
}

const CLOCK_DIGITS = 'hh:mm:ss'.length;
const LEVEL_WIDTH = 'warning'.length;

function membersOf(line: string): Readonly<Record<string, unknown>> {
  const members: unknown = JSON.parse(line);
  return typeof members === 'object' ? { ...members } : {};
}
