import type { Facts } from './facts.ts';
import type { Finding } from './finding.ts';

/**
 * Looks at one thing and changes nothing. What it can't find out it says; it throws only where the program is wrong.
 */
export type Check = (facts: Facts) => Promise<readonly Finding[]> | readonly Finding[];
