// Settings of TLS: its ports, and whose certificate is shown to whom.

import { join, resolve } from 'node:path';
import { ConfigError } from './config-error.js';
import type { Environment, Flags } from './environment.js';
import { AMQPS_PORT } from './options.js';
import type { SettingChoice } from './setting-choice.js';
import { freeText, readCertHost, readPortOrOff } from './setting-readers.js';

export type TlsSettings = {
  readonly tls: 'on' | 'off';
  readonly tlsPort: number | 'off';
  /** Undefined: nobody has asked for that port, and where it is taken it is done without. */
  readonly tlsPortFrom: string | undefined;
  readonly httpsPort: number | 'off';
  /** The user's own, both or none. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly certHosts: readonly string[];
  /** Absolute; undefined: none is named, or there is no place for one, and a certificate ends with its process. */
  readonly certDirectory: string | undefined;
  /** Why the named directory is not used, where no other takes its place; found when the directory is looked at. */
  readonly certObstacle: string | undefined;
  /** Jitney's own folder in the user's home, absolute; undefined: the environment names no home. */
  readonly userDirectory: string | undefined;
};

/** Throws a ConfigError. */
export function readTlsSettings(
  choice: SettingChoice,
  port: number,
  platform: NodeJS.Platform = process.platform,
): TlsSettings {
  const tls = choice.switch('noTls') ? 'off' : 'on';
  // Who has 5672 is the one that programs without a port dial; any other is dialled by its number, and speaks TLS itself.
  const usualPort = tls === 'on' && port === 5672 ? AMQPS_PORT : 'off';
  const directory = choice.text('certDirectory', freeText('a directory'), undefined);
  const settings: TlsSettings = {
    tls,
    tlsPort: choice.text('tlsPort', readPortOrOff, usualPort),
    tlsPortFrom: choice.origin('tlsPort'),
    httpsPort: choice.text('httpsPort', readPortOrOff, 'off'),
    cert: choice.text('cert', freeText('a file'), undefined),
    key: choice.text('key', freeText('a file'), undefined),
    certHosts: choice.list('certHost', readCertHost),
    certDirectory: directory && resolve(directory),
    certObstacle: undefined,
    userDirectory: userDirectory(choice.environment, platform),
  };
  refuseHalf(settings, choice);
  if (tls === 'off') refuseWithoutTls(settings, choice);
  return settings;
}

function refuseHalf({ cert, key }: TlsSettings, choice: SettingChoice): void {
  if ((cert === undefined) === (key === undefined)) return;
  const [given, missing] = key === undefined ? (['cert', '--key'] as const) : (['key', '--cert'] as const);
  const text = `${choice.origin(given)} is of no use without ${missing}: give both, or none for a certificate of the emulator's own`;
  throw new ConfigError('bad-option', text);
}

function refuseWithoutTls({ tlsPort, httpsPort, cert }: TlsSettings, choice: SettingChoice): void {
  const asked: readonly (readonly [keyof Flags, boolean])[] = [
    ['tlsPort', tlsPort !== 'off'],
    ['httpsPort', httpsPort !== 'off'],
    ['cert', cert !== undefined],
  ];
  const [setting] = asked.find(([, isAsked]) => isAsked) ?? [];
  if (setting === undefined) return;
  const text = `${choice.origin(setting)} asks for TLS and ${choice.origin('noTls')} for none: give one of them`;
  throw new ConfigError('bad-option', text);
}

/** Where a user's programs keep what is of this machine and not to be lost. */
function userDirectory(environment: Environment, platform: NodeJS.Platform): string | undefined {
  const directory = configDirectory(environment, platform);
  return directory && join(directory, 'jitney');
}

function configDirectory(environment: Environment, platform: NodeJS.Platform): string | undefined {
  const { XDG_CONFIG_HOME, HOME, LOCALAPPDATA } = environment;
  if (platform === 'win32') return LOCALAPPDATA || undefined;
  if (XDG_CONFIG_HOME?.startsWith('/')) return XDG_CONFIG_HOME;
  if (!HOME) return undefined;
  return platform === 'darwin' ? join(HOME, 'Library', 'Application Support') : join(HOME, '.config');
}
