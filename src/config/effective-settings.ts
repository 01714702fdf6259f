// The settings as they are in force, each with the flag or variable that says so.

import { formatDuration } from '../description/duration.js';
import { DEFAULT_CONFIG_FILE } from './configured-entities.js';
import type { Environment, Flags } from './environment.js';
import { originOf } from './setting-choice.js';
import type { Settings } from './settings.js';

export type EffectiveValue = {
  readonly name: string;
  /** Null: there is none. */
  readonly value: string | number | boolean | null;
  /** A flag, a variable, a place in a file, or whose default it is. */
  readonly from: string;
};

export const DEFAULT = 'default';

/** By the names of their flags without hyphens; what says which entities there are is left to those. */
export function effectiveSettings(
  settings: Settings,
  flags: Flags,
  environment: Environment,
): readonly EffectiveValue[] {
  const values: Readonly<Record<string, EffectiveValue['value']>> = {
    host: settings.host,
    port: settings.port,
    httpPort: settings.httpPort,
    tlsPort: settings.tlsPort,
    httpsPort: settings.httpsPort,
    noTls: settings.tls === 'off',
    cert: settings.cert ?? null,
    key: settings.key ?? null,
    certHost: listText(settings.certHosts),
    certDirectory: settings.certDirectory ?? null,
    data: settings.dataDirectory ?? null,
    reset: settings.reset,
    config: settings.configJson?.name ?? settings.configFile ?? null,
    durability: settings.durability,
    tier: settings.tier,
    limits: settings.limits,
    expirySweep: settings.expirySweep,
    releaseLocksOnDetach: settings.releaseLocksOnDetach,
    expireWholeSession: settings.expireWholeSession,
    idleTimeouts: settings.idleTimeouts,
    authorizationTimeout: timeText(settings.authorizationTimeoutMs),
    auth: settings.auth,
    noTokenEndpoint: settings.tokenEndpoint === 'off',
    // Not their keys.
    policy:
      settings.policies?.map(({ keyName, rights }) => `${keyName}=${rights.join('+')}`).join(',') ?? null,
    cors: listText(settings.allowedOrigins),
    allowHost: listText(settings.allowedHosts),
    logLevel: settings.logLevel,
  };
  return Object.entries(values).map(([name, value]) => {
    const from = originOfSetting(name as keyof Flags, settings, (setting) =>
      originOf(setting, flags, environment),
    );
    return { name, value, from: from ?? DEFAULT };
  });
}

function timeText(milliseconds: number | 'off' | undefined): string | null {
  if (milliseconds === undefined) return null;
  return milliseconds === 'off' ? milliseconds : formatDuration(milliseconds);
}

function listText(items: readonly string[]): string | null {
  return items.length === 0 ? null : items.join(',');
}

type OriginOf = (setting: keyof Flags) => string | undefined;

function originOfSetting(setting: keyof Flags, settings: Settings, origin: OriginOf): string | undefined {
  switch (setting) {
    case 'data':
      return settings.dataDirectory === undefined ? origin('memory') : origin('data');
    case 'config':
      return originOfConfig(settings, origin);
    default:
      return origin(setting);
  }
}

function originOfConfig({ configFile, configJson }: Settings, origin: OriginOf): string | undefined {
  if (configJson !== undefined) return configJson.name;
  const from = origin('config');
  if (from !== undefined || configFile === undefined || configFile === DEFAULT_CONFIG_FILE) return from;
  return 'the place where the official emulator has its own';
}
