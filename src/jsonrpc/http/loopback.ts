import { isIPv4 } from 'node:net';

/** Whether who listens on that host is reached from its own machine alone. A name such as 127.example.com is anybody's. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
