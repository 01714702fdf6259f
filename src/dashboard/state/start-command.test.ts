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

it('is the plain command before anything is known', () => {
  expect(startCommand(undefined)).toBe('npx jitney');
});
