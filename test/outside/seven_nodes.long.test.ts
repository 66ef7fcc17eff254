import { after, test } from 'node:test';
import { bearEverything } from './seven_nodes.ts';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

test('seven nodes over slow links lose nothing that was answered, whoever is killed, and sign no slot twice', async () => {
  await bearEverything(site, { delayMs: 30, bytesPerMs: 2000, lossPercent: 1 }, 12);
});
