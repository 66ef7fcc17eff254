import { Fault } from '../base/fault.ts';
import type { SettingsOf } from './options.ts';

const USUAL_EVERY = 100;

/** Reads where traces go; undefined for nowhere. Throws Fault `configuration`. */
export function readTraceSettings(values: SettingsOf<'traces'>): TraceSettings | undefined {
  const { 'trace-endpoint': endpoint, 'trace-every': every = USUAL_EVERY } = values;
  if (endpoint === undefined) return undefined;
  if (every === 0) throw new Fault('configuration', 'trace-every: a positive number expected');
  if (!/^https?:$/.test(protocolText(endpoint)))
    throw new Fault(
      'configuration',
      `trace-endpoint: an address such as http://127.0.0.1:4318/v1/traces expected, got "${endpoint}"`,
    );
  return { endpoint, every };
}

function protocolText(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : '';
}

/** The collector of traces, and the share of broadcasts that are traced. */
export interface TraceSettings {
  /** The collector's address for traces, by OTLP over HTTP. */
  readonly endpoint: string;
  /** One broadcast of this many is traced. */
  readonly every: number;
}
