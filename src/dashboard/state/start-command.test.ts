import { expect, it } from 'vitest';
import type { InfoAnswer } from '../../http/control/control-schemas.js';
import { startCommand } from './start-command.js';

function infoWith(
  settings: InfoAnswer['settings'],
  settingOrigins: InfoAnswer['settingOrigins'],
): InfoAnswer {
  return {
    ...{ product: 'Jitney', version: '1.0.0', node: 'v22', startedTime: '2026-05-01T12:00:00.000Z' },
    ...{ uptimeMs: 0, auth: 'any', tier: 'standard', ports: { port: 5700 }, limits: {} },
    settings,
    settingOrigins,
  } as InfoAnswer;
}

it('repeats the flags that were given, and no default or variable', () => {
  const info = infoWith(
    { label: "Ann's shop", tier: 'standard', ui: 'on' },
    { port: '--port', label: '--label', tier: 'default', ui: 'JITNEY_UI' },
  );
  expect(startCommand(info)).toBe("npx jitney --port 5700 --label 'Ann'\\''s shop'");
});

it('repeats where the messages are kept, and a second port', () => {
  const origins = { dataDirectory: '--memory', httpPort: '--http-port' };
  expect(startCommand(infoWith({}, origins))).toBe('npx jitney --http-port off --memory');
  expect(startCommand({ ...infoWith({}, origins), ports: { httpPort: 5301 } })).toBe(
    'npx jitney --http-port 5301 --memory',
  );
  expect(startCommand(infoWith({ dataDirectory: '/data' }, { dataDirectory: '--data' }))).toBe(
    'npx jitney --data /data',
  );
});

it('is the plain command before anything is known', () => {
  expect(startCommand(undefined)).toBe('npx jitney');
});
