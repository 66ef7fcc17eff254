import { isatty } from 'node:tty';
import pino from 'pino';
import type { EventLevel, LogEvent } from './log_events/event.ts';
import { logEvents, type EventName, type WriteLine } from './log_events/index.ts';
import { RepeatedLines } from './repeated_lines.ts';

/** Severity of a log line, with the lineage's names. */
const logLevels = ['debug', 'info', 'notice', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Forms of a log line: for people, for programs, or for the one of them that reads standard error. */
export const logFormats = ['auto', 'text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** The lines to write, from `level` upward, and their form, `auto` when left out. */
export interface LogSettings {
  readonly level: LogLevel;
  readonly format?: LogFormat | undefined;
}

/** Structured fields of a log line. Never a private key. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Writes log lines for the operator: a text for people, an event of `log_events/` for programs, and the fields that the
 * event declares.
 */
export interface Log {
  readonly debug: WriteLine<'debug'>;
  readonly notice: WriteLine<'notice'>;
  readonly warning: WriteLine<'warning'>;
  readonly error: WriteLine<'error'>;
}

const STANDARD_ERROR = 2;
const customLevels = { debug: 20, info: 30, notice: 35, warning: 40, error: 50 };

/**
 * Writes one line per entry to standard error. The format `auto` is text on a terminal, JSON otherwise. Safe to use from
 * several threads at once. A cause is written at most once a minute.
 */
export function openLog({ level, format = 'auto' }: LogSettings, thread: string): Log {
  const lines = pino.destination({ dest: STANDARD_ERROR, sync: true });
  const isText = format === 'auto' ? isatty(STANDARD_ERROR) : format === 'text';
  const destination = isText ? { write: (line: string) => void lines.write(lineForPeople(line)) } : lines;
  const logger = pino({ level, customLevels, useOnlyCustomLevels: true, base: { thread } }, destination);
  return limitedLog(
    () => performance.now(),
    (declared, fields, text) => logger[declared](fields, text),
  );
}

/** Writes a line of a level with its event among its fields. */
type WriteFields = (level: EventLevel, fields: LogFields, text: string) => void;

/** A log that passes each cause on at most once a minute. */
export function limitedLog(nowMs: () => number, writeFields: WriteFields): Log {
  const repeated = new RepeatedLines(nowMs);
  const write = (text: string, event: EventName, fields: LogFields): void => {
    const declared: LogEvent = logEvents[event];
    const { level } = declared;
    const leftOut = repeated.take(event, causeText(declared, text, fields));
    if (leftOut === undefined) return;
    const isCounted = leftOut > 0 && (level === 'warning' || level === 'error');
    writeFields(level, { event, ...fields, ...(isCounted ? { left_out: leftOut } : {}) }, text);
  };
  return { debug: write, notice: write, warning: write, error: write };
}

/**
 * Tells lines of one event apart by their cause. Without declared ones that is the text with all fields that are
 * texts, as the error of an interruption.
 */
function causeText({ cause }: LogEvent, text: string, fields: LogFields): string {
  if (cause !== undefined) return cause.map((name) => String(fields[name])).join(' ');
  return [text, ...Object.values(fields).filter((value) => typeof value === 'string')].join(' ');
}

/** The level that a text names, or undefined. */
export function parseLogLevel(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text);
}

/**
 * Of a line of pino's, the one for a terminal: `22:05:31 notice caught up at block 54 event=caught_up block=54
 * (network)`, with its event and fields behind the text.
 */
export function lineForPeople(line: string): string {
  const { level, time, thread, msg, ...fields } = parseLogLine(line);
  const [name = ''] = Object.entries(customLevels).find(([, number]) => number === level) ?? [];
  const said = Object.entries(fields).map(
    ([field, value]) => ` ${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${new Date(Number(time)).toTimeString().slice(0, CLOCK_DIGITS)} ${name.padEnd(LEVEL_WIDTH)} ${String(msg)}${said.join('')} (${String(thread)})\n`;
}

const CLOCK_DIGITS = 'hh:mm:ss'.length;
const LEVEL_WIDTH = 'warning'.length;

function parseLogLine(line: string): Readonly<Record<string, unknown>> {
  const members: unknown = JSON.parse(line);
  return typeof members === 'object' ? { ...members } : {};
}
