// Which idle timeouts a user has chosen. What they are is the AMQP front end's to know, so it is handed in.

import type { EmulatorOptions, IdleTimeoutSet } from './options.js';

type IdleOptions = Pick<EmulatorOptions, 'idleTimeouts' | 'authorizationTimeoutMs'>;

export function chooseIdleTimeouts<Timeouts extends { readonly authorizationMs: number }>(
  { idleTimeouts = 'off', authorizationTimeoutMs }: IdleOptions,
  sets: Readonly<Record<IdleTimeoutSet, Timeouts>>,
): Timeouts {
  const { authorizationMs } = sets[authorizationTimeoutMs === 'off' ? 'off' : idleTimeouts];
  const chosenMs = typeof authorizationTimeoutMs === 'number' ? authorizationTimeoutMs : authorizationMs;
  return { ...sets[idleTimeouts], authorizationMs: chosenMs };
}
