// The options of `startEmulator` that JavaScript may get wrong unnoticed: looked at before anything is started.

import { ConfigError } from './config-error.js';
import { DURABILITIES, type EmulatorOptions, TIERS } from './options.js';
import { shown } from './value-error.js';

/** Throws a ConfigError. */
export function checkOptions({ port, httpPort, tier, durability }: EmulatorOptions): void {
  check('port', port, isPort(port), 'a port number from 0 (any free one) to 65535');
  check('httpPort', httpPort, httpPort === 'off' || isPort(httpPort), "a port number or 'off'");
  check(
    'tier',
    tier,
    TIERS.some((one) => one === tier),
    `one of ${TIERS.join(', ')}`,
  );
  check(
    'durability',
    durability,
    DURABILITIES.some((one) => one === durability),
    `one of ${DURABILITIES.join(', ')}`,
  );
}

function check(name: string, value: unknown, isGood: boolean, expected: string): void {
  if (value === undefined || isGood) return;
  throw new ConfigError('bad-option', `${name} must be ${expected}, not ${shown(value)}`);
}

function isPort(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535;
}
