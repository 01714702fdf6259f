// Variables as others read them: real readers are asked, with values that are hard to quote.

import { execFileSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { formatEnv, type Variables } from '../../../src/cli/files/env-format.js';

const PLAIN = { A: 'Endpoint=sb://localhost:5672;Key=a b;', B_2: '' };
const HARD: Variables = {
  QUOTE: "it's",
  BOTH: `it's "so"`,
  DOLLAR: '$HOME $(exit 1) `exit 1`',
  BACKSLASH: 'C:\\new\\table',
  HASH: 'a # b',
  BANG: '!a %b% *',
};

// It needs sh.
test.skipIf(process.platform === 'win32')('a shell that reads them has the same values', () => {
  const script = `${formatEnv({ ...PLAIN, ...HARD, LINES: 'a\nb' }, 'shell')}\nexec "$0" -p 'JSON.stringify(process.env)'`;
  const output = execFileSync('sh', ['-c', script, process.execPath], { encoding: 'utf8' });
  expect(JSON.parse(output)).toMatchObject({ ...PLAIN, ...HARD, LINES: 'a\nb' });
});

test('a file of them is read by Node with the same values', () => {
  expect(parseEnv(formatEnv({ ...PLAIN, ...HARD }, 'dotenv'))).toEqual({ ...PLAIN, ...HARD });
});

test('in a file, single quotes are preferred: what expands variables leaves those alone', () => {
  expect(formatEnv({ A: '$HOME' }, 'dotenv')).toBe("A='$HOME'\n");
  expect(formatEnv({ A: "it's" }, 'dotenv')).toBe(`A="it's"\n`);
  expect(formatEnv({ A: "it's $HOME" }, 'dotenv')).toBe("A=`it's $HOME`\n");
});

test('JSON is one object, and local.settings.json has them under Values', () => {
  expect(JSON.parse(formatEnv(HARD, 'json'))).toEqual(HARD);
  expect(JSON.parse(formatEnv(HARD, 'local.settings'))).toEqual({ IsEncrypted: false, Values: HARD });
});

test('PowerShell has every quote doubled that it knows, and nothing else touched', () => {
  expect(formatEnv({ A: "it's $HOME", B: 'it’s' }, 'powershell')).toBe(
    "$env:A = 'it''s $HOME'\n$env:B = 'it’’s'\n",
  );
});

test('notes are comments before the variables, in a shell behind them, in the formats that have comments', () => {
  const notes = ['Java: dials 443.', 'Go: does not.'];
  const comments = '# Java: dials 443.\n# Go: does not.\n';
  expect(formatEnv(PLAIN, 'dotenv', { notes })).toBe(`${comments}${formatEnv(PLAIN, 'dotenv')}`);
  expect(parseEnv(formatEnv(PLAIN, 'dotenv', { notes }))).toEqual(PLAIN);
  expect(formatEnv(PLAIN, 'powershell', { notes })).toBe(`${comments}${formatEnv(PLAIN, 'powershell')}`);
  // Without quotes around it, `eval` would take all of it for one comment.
  expect(formatEnv(PLAIN, 'shell', { notes })).toBe(`${formatEnv(PLAIN, 'shell')}${comments}`);
  for (const format of ['json', 'github', 'local.settings'] as const) {
    expect(formatEnv(PLAIN, format, { notes })).toBe(formatEnv(PLAIN, format));
  }
});

// It needs sh.
test.skipIf(process.platform === 'win32')('a shell unsets what must not be there', () => {
  const unset = ['AZURE_TENANT_ID', 'AZURE_CLIENT_SECRET'];
  const script = `${formatEnv({ A: 'b' }, 'shell', { unset })}\nexec "$0" -p 'JSON.stringify(process.env)'`;
  const environment = { AZURE_TENANT_ID: 'x', AZURE_CLIENT_SECRET: 'x', PATH: process.env.PATH ?? '' };
  const output = execFileSync('sh', ['-c', script, process.execPath], {
    encoding: 'utf8',
    env: environment,
  });
  expect(JSON.parse(output)).toMatchObject({ A: 'b' });
  expect(output).not.toContain('AZURE');
  expect(formatEnv({ A: 'b' }, 'powershell', { unset })).toBe(
    "$env:AZURE_TENANT_ID = $null\n$env:AZURE_CLIENT_SECRET = $null\n$env:A = 'b'\n",
  );
});

test('what cannot unset a variable makes the tenant and the password empty, and no more', () => {
  const unset = ['AZURE_TENANT_ID', 'AZURE_CLIENT_SECRET', 'AZURE_PASSWORD'];
  const expected = { A: 'b', AZURE_TENANT_ID: '', AZURE_PASSWORD: '' };
  expect(parseEnv(formatEnv({ A: 'b' }, 'dotenv', { unset }))).toEqual(expected);
  expect(JSON.parse(formatEnv({ A: 'b' }, 'json', { unset }))).toEqual(expected);
  expect(JSON.parse(formatEnv({ A: 'b' }, 'local.settings', { unset })).Values).toEqual(expected);
  expect(formatEnv({ A: 'b' }, 'github', { unset })).toBe('A=b\nAZURE_TENANT_ID=\nAZURE_PASSWORD=\n');
});

test('GitHub has a line for each, and marks where a value of several lines ends', () => {
  expect(formatEnv({ A: "it's $HOME", B: 'x\nEND\ny' }, 'github')).toBe(
    "A=it's $HOME\nB<<END_\nx\nEND\ny\nEND_\n",
  );
});
