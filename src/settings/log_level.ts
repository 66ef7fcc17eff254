import { Fault } from '../base/fault.ts';
import { logLevelOf, type LogLevel } from '../base/log.ts';
import type { SettingsOf } from './options.ts';

/** How much is logged. Throws Fault `configuration`. */
export function levelOf({ 'log-level': text = 'info' }: SettingsOf<'log'>): LogLevel {
  const level = logLevelOf(text);
  if (level !== undefined) return level;
  throw new Fault('configuration', `log-level: debug, info, notice, warning or error expected, got "${text}"`);
}
