import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isSignedWith, readSasToken, writeSasToken } from '../../security/sas-token.js';
import { makeToken } from './sas-token.js';

const NOW = Date.parse('2026-05-01T12:00:00.900Z');
const EXPIRY = Date.parse('2026-05-02T00:00:00.000Z') / 1000;
const KEY = 'k3y+/=ü';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the token of a key', () => {
  it('is the HMAC of the namespace and the time of its end, 12 hours from now', async () => {
    const signature = createHmac('sha256', KEY).update(`sb%3A%2F%2Flocalhost%2F\n${EXPIRY}`).digest('base64');
    expect(await makeToken('localhost:5300', 'Root', KEY)).toBe(
      `SharedAccessSignature sr=sb%3A%2F%2Flocalhost%2F&sig=${encodeURIComponent(signature)}&se=${EXPIRY}&skn=Root`,
    );
  });

  it('is the one that the emulator writes itself, and that it accepts', async () => {
    const token = await makeToken('jitney.test', 'My policy & co', KEY);
    const audience = 'sb://jitney.test/';
    const parts = { audience, keyName: 'My policy & co', key: KEY, expiresAtMs: EXPIRY * 1000 };
    expect(token).toBe(writeSasToken(parts));
    const read = readSasToken(token);
    expect(read).toMatchObject({ kind: 'sas-token', keyName: 'My policy & co', expiresAtMs: EXPIRY * 1000 });
    if (read.kind !== 'sas-token') return;
    expect([isSignedWith(read, KEY), isSignedWith(read, 'other')]).toEqual([true, false]);
  });

  it.each([
    ['localhost', 'localhost'],
    ['127.0.0.1:5672', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['[::1]:5672', '[::1]'],
  ])('for %s is one for %s, at any port', async (host, expected) => {
    const [, resource = ''] = /sr=([^&]+)/.exec(await makeToken(host, 'Root', KEY)) ?? [];
    expect(decodeURIComponent(resource)).toBe(`sb://${expected}/`);
  });

  it('cannot be made where the browser has no cryptography, which is said with the remedy', async () => {
    vi.stubGlobal('crypto', {});
    await expect(makeToken('jitney.test', 'Root', KEY)).rejects.toThrow(/Open it with https:\/\//);
  });
});
