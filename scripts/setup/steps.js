import { packages } from './packages.js';
import { pageTypes } from './page_types.js';
import { pages } from './pages.js';
import { startCode } from './start_code.js';
import { typescript } from './typescript.js';
import { wasm } from './wasm.js';
import { webServer } from './web_server.js';

/**
 * All steps. Each is there when its inputs are those that it was last done with; `needs` are the steps that have to end
 * before.
 */
export const steps = [packages, wasm, webServer, typescript, pages, startCode, pageTypes];

/**
 * The steps that a program needs to run. The types of the pages decide nothing that runs: `npm run check` looks at
 * them.
 */
export const stepsToRun = [packages, wasm, webServer, typescript, pages, startCode];
