// Shared access signatures by themselves: how they are read, and by whose key they are signed.

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSignedWith, readSasToken, type SasToken, writeSasToken } from '../../src/security/sas-token.js';

const PARTS = { audience: 'sb://localhost:5672/orders', keyName: 'sender', key: 'secret', expiresAtMs: 2e12 };

function read(text: string): SasToken {
  const token = readSasToken(text);
  if (token.kind === 'refusal') throw new Error(token.text);
  return token;
}

test('a token says what it is for, who signed it, and when it ends', () => {
  expect(read(writeSasToken(PARTS))).toMatchObject({
    resource: { host: 'localhost', path: 'orders' },
    keyName: 'sender',
    expiresAtMs: 2e12,
  });
});

test('the signature is the base64 of HMAC-SHA256 over the encoded resource and the expiry, the key as text', () => {
  const sig = createHmac('sha256', 'c2VjcmV0').update('sb%3A%2F%2Fh%2Fq\n2000000000').digest('base64');
  const text = `SharedAccessSignature sr=sb%3A%2F%2Fh%2Fq&sig=${encodeURIComponent(sig)}&se=2000000000&skn=k`;
  expect(isSignedWith(read(text), 'c2VjcmV0')).toBe(true);
  expect(isSignedWith(read(text), 'secret')).toBe(false);
});

test('the resource is signed as it is written: in lower-case hexadecimal, as .NET has it, it is another text', () => {
  const lower = (text: string) => text.replace(/%[\dA-F]{2}/g, (hex) => hex.toLowerCase());
  const rawResource = lower(encodeURIComponent('sb://localhost/Orders'));
  const sig = createHmac('sha256', 'secret').update(`${rawResource}\n2000000000`).digest('base64');
  const text = `SharedAccessSignature sr=${rawResource}&sig=${lower(encodeURIComponent(sig))}&se=2000000000&skn=k`;
  expect(isSignedWith(read(text), 'secret')).toBe(true);
  expect(isSignedWith(read(text.replace('%3a', '%3A')), 'secret')).toBe(false);
});

test.each(['sr se skn sig', 'sig se skn sr', 'skn se sig sr'])('the fields may come as %s', (order) => {
  const fields = new Map(
    writeSasToken(PARTS)
      .replace('SharedAccessSignature ', '')
      .split('&')
      .map((field) => [field.slice(0, field.indexOf('=')), field]),
  );
  const text = `SharedAccessSignature ${order
    .split(' ')
    .map((name) => fields.get(name))
    .join('&')}`;
  expect(isSignedWith(read(text), 'secret')).toBe(true);
});

test('no key is no key: nothing is signed with it', () => {
  expect(isSignedWith(read(writeSasToken({ ...PARTS, key: '' })), '')).toBe(false);
});

test('a name may have spaces and a plus, whichever way they are encoded', () => {
  expect(read('SharedAccessSignature sr=h&sig=x&se=1&skn=my+key').keyName).toBe('my key');
  expect(read('SharedAccessSignature sr=h&sig=x&se=1&skn=a%20b%2Bc').keyName).toBe('a b+c');
});

describe.each([
  ['sr', 'sb://localhost/other'],
  ['se', '2000000001'],
])('whoever changes %s', (field, value) => {
  test('breaks the signature', () => {
    const text = writeSasToken(PARTS).replace(
      new RegExp(`\\b${field}=[^&]*`),
      `${field}=${encodeURIComponent(value)}`,
    );
    expect(text).not.toBe(writeSasToken(PARTS));
    expect(isSignedWith(read(text), 'secret')).toBe(false);
  });
});

test.each([
  ['', "begin with 'SharedAccessSignature '"],
  ['Bearer x', "begin with 'SharedAccessSignature '"],
  ['SharedAccessSignature sr=x&sig=y&se=1', 'sr, sig, se and skn'],
  ['SharedAccessSignature sr=x&sig=&se=1&skn=k', 'sr, sig, se and skn'],
  ['SharedAccessSignature sr=x&sig=y&se=tomorrow&skn=k', 'seconds since 1970'],
  ['SharedAccessSignature sr=x&sig=y&se=-1&skn=k', 'seconds since 1970'],
  ['SharedAccessSignature sr=x&sr=z&sig=y&se=1&skn=k', 'twice'],
])('"%s" is none', (text, why) => {
  const refused = readSasToken(text);
  expect(refused).toMatchObject({ kind: 'refusal', code: 'MalformedToken' });
  expect(refused.kind === 'refusal' && refused.text).toContain(why);
});
