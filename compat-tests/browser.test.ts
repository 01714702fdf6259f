// A page in a real browser sends and receives with the official SDK, over a WebSocket with TLS.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { bundlePage } from './support/browser-bundle.js';
import { CHROMIUM, sharedChromium } from './support/chromium.js';
import { Jitney } from './support/jitney.js';

test.skipIf(CHROMIUM === undefined)('a page sends and receives', async () => {
  await using jitney = await Jitney.start({ queues: ['orders'] });
  const script = await bundlePage();
  const pages = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>orders</title><script src="/page.js"></script>');
  }).listen(0, 'localhost');
  await once(pages, 'listening');
  const browser = await sharedChromium();
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  try {
    await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`);
    const call = `sendAndReceive(${JSON.stringify(jitney.connectionString)}, 'from the browser')`;
    expect(await page.evaluate(call)).toBe('from the browser');
  } finally {
    await page.context().close();
    pages.close();
  }
});
