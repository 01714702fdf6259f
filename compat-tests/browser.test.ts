// A page in a real browser sends and receives with the official SDK, over a WebSocket with TLS.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { bundlePage } from './support/browser-bundle.js';
import { CHROMIUM, launchChromium } from './support/chromium.js';
import { Jitney } from './support/jitney.js';

/** By which Chromium is told to trust this one certificate. */
async function keyOf({ host, port }: { readonly host: string; readonly port: number }): Promise<string> {
  const socket = connect({ host, port, servername: 'localhost', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
  socket.destroy();
  if (spki === undefined) throw new Error('the server has shown no certificate');
  return createHash('sha256').update(spki).digest('base64');
}

test.skipIf(CHROMIUM === undefined)('a page sends and receives', async () => {
  await using jitney = await Jitney.start({ queues: ['orders'] });
  const script = await bundlePage();
  const pages = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>orders</title><script src="/page.js"></script>');
  }).listen(0, 'localhost');
  await once(pages, 'listening');
  const browser = await launchChromium(
    `--ignore-certificate-errors-spki-list=${await keyOf(jitney.address)}`,
  );
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${(pages.address() as AddressInfo).port}/`);
    const call = `sendAndReceive(${JSON.stringify(jitney.connectionString)}, 'from the browser')`;
    expect(await page.evaluate(call)).toBe('from the browser');
  } finally {
    await browser.close();
    pages.close();
  }
});
