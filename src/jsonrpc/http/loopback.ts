import { isIPv4 } from 'node:net';

/**
 * Returns whether a server on that host can be reached from its own machine only. A name such as 127.example.com may
 * point anywhere.
 */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
