// Splits a user's options into what the broker, TLS and the idle timeouts of AMQP take.

import { join } from 'node:path';
import type { BehaviourOptions } from '../broker/contract/behaviour-options.js';
import { LIMITS_OF_TIER, type Limits, withoutSizes } from '../broker/contract/limits.js';
import { CERTIFICATES_FOLDER } from './certificate-directory.js';
import type { EmulatorOptions } from './options/emulator-options.js';
import type { Option } from './options/option.js';
import { OPTIONS } from './options/option-table.js';

type OptionsOfBroker = Pick<
  EmulatorOptions,
  'tier' | 'limits' | 'expirySweep' | 'releaseLocksOnDetach' | 'expireWholeSession'
>;

export function brokerOptions({
  tier = OPTIONS.tier.default,
  limits = OPTIONS.limits.default,
  expirySweep = OPTIONS.expirySweep.default,
  releaseLocksOnDetach = OPTIONS.releaseLocksOnDetach.default,
  expireWholeSession = OPTIONS.expireWholeSession.default,
}: OptionsOfBroker): { readonly limits: Limits; readonly behaviour: Partial<BehaviourOptions> } {
  const ofTier = LIMITS_OF_TIER[tier];
  return {
    limits: limits === 'none' ? withoutSizes(ofTier) : ofTier,
    behaviour: { expirySweep, releaseLocksOnDetach, expireWholeSession },
  };
}

type OptionsOfTls = Pick<
  EmulatorOptions,
  'host' | 'cert' | 'key' | 'certHosts' | 'certificateDirectory' | 'dataDirectory'
>;

/** The certificates for `openCertificates`; without a directory they stay in memory. */
type ChosenCertificates = {
  readonly directory: string | undefined;
  readonly hosts: readonly string[];
  readonly given: { readonly cert: string; readonly key: string } | undefined;
};

export function certificateOptions(options: OptionsOfTls): ChosenCertificates {
  const { host, cert, key, certHosts = [], dataDirectory } = options;
  return {
    directory: options.certificateDirectory ?? (dataDirectory && join(dataDirectory, CERTIFICATES_FOLDER)),
    // Clients dial a custom address by its name, so the certificate has to cover it.
    hosts: [...(host === undefined ? [] : [host]), ...certHosts],
    given: cert === undefined || key === undefined ? undefined : { cert, key },
  };
}

type IdleOptions = Pick<EmulatorOptions, 'idleTimeouts' | 'authorizationTimeoutMs'>;

export function chooseIdleTimeouts<Timeouts extends { readonly authorizationMs: number }>(
  { idleTimeouts = OPTIONS.idleTimeouts.default, authorizationTimeoutMs }: IdleOptions,
  sets: Readonly<Record<NonNullable<IdleOptions['idleTimeouts']>, Timeouts>>,
): Timeouts {
  const { authorizationMs } = sets[authorizationTimeoutMs === 'off' ? 'off' : idleTimeouts];
  const chosenMs = typeof authorizationTimeoutMs === 'number' ? authorizationTimeoutMs : authorizationMs;
  return { ...sets[idleTimeouts], authorizationMs: chosenMs };
}

const SHOWN = Object.entries<Option>(OPTIONS)
  .filter(([, { isShown }]) => isShown)
  .map(([name, { setting = name }]) => setting as keyof EmulatorOptions);

type Shown = string | number | boolean | string[];

/** The options that were given. Without the others, which have their defaults. */
export function shownOptions(options: EmulatorOptions): Readonly<Record<string, Shown>> {
  const chosen = SHOWN.flatMap((name) =>
    options[name] === undefined ? [] : [[name, options[name] as Shown]],
  );
  return Object.fromEntries(chosen);
}
