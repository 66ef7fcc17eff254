import { Fault } from '../base/fault.ts';
import { parseLogLevel, type LogSettings } from '../base/log.ts';
import type { SettingsOf } from './options.ts';

/** Reads which lines are logged, and in which form. Throws Fault `configuration`. */
export function readLogSettings({ 'log-level': text = 'info', 'log-format': format }: SettingsOf<'log'>): LogSettings {
  const level = parseLogLevel(text);
  if (level !== undefined) return { level, format };
  throw new Fault('configuration', `log-level: debug, info, notice, warning or error expected, got "${text}"`);
}
