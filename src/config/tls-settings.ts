// The settings of TLS that follow from others (its usual port, the directories of certificates), and the refusal of settings that conflict.

import { join, resolve } from 'node:path';
import { JitneyError } from '../jitney-error.js';
import type { Environment, FlagOption } from './environment.js';
import { AMQPS_PORT } from './options/tls-options.js';
import type { OptionValues, SettingChoice } from './setting-choice.js';

export type TlsSettings = {
  readonly tlsPort: number | 'off';
  /** The flag or variable that gives `tlsPort`. Undefined: not requested, so a start goes on without the port if it is in use. */
  readonly tlsPortFrom: string | undefined;
  /** An absolute path. Undefined if none is named or writable: a certificate then ends with its process. */
  readonly certificateDirectory: string | undefined;
  /** Why the named directory cannot be used when no other replaces it; set by `withCertDirectory`. */
  readonly certObstacle: string | undefined;
  /** The absolute path of Jitney's directory in the user's home; undefined: the environment names no home. */
  readonly userDirectory: string | undefined;
};

type GivenTls = Pick<
  OptionValues,
  'port' | 'tls' | 'tlsPort' | 'httpsPort' | 'cert' | 'key' | 'certificateDirectory'
>;

/** Throws a JitneyError. */
export function tlsSettings(given: GivenTls, choice: SettingChoice, platform: NodeJS.Platform): TlsSettings {
  // Programs that name no port dial 5672, and 5671 for TLS. Any other port is dialled by its number, and speaks TLS itself.
  const usualPort = given.tls === 'on' && given.port === 5672 ? AMQPS_PORT : 'off';
  refuseHalf(given, choice);
  if (given.tls === 'off') refuseWithoutTls(given, choice);
  return {
    tlsPort: given.tlsPort ?? usualPort,
    tlsPortFrom: choice.origin('tlsPort'),
    certificateDirectory: given.certificateDirectory && resolve(given.certificateDirectory),
    certObstacle: undefined,
    userDirectory: userDirectory(choice.environment, platform),
  };
}

function refuseHalf({ cert, key }: GivenTls, choice: SettingChoice): void {
  if ((cert === undefined) === (key === undefined)) return;
  const [given, missing] = key === undefined ? (['cert', '--key'] as const) : (['key', '--cert'] as const);
  const text = `${choice.origin(given)} is of no use without ${missing}: give both, or none for a certificate of the emulator's own`;
  throw new JitneyError('bad-option', text);
}

function refuseWithoutTls({ tlsPort = 'off', httpsPort, cert }: GivenTls, choice: SettingChoice): void {
  const requests: readonly (readonly [FlagOption, boolean])[] = [
    ['tlsPort', tlsPort !== 'off'],
    ['httpsPort', httpsPort !== 'off'],
    ['cert', cert !== undefined],
  ];
  const [setting] = requests.find(([, isRequested]) => isRequested) ?? [];
  if (setting === undefined) return;
  const text = `${choice.origin(setting)} asks for TLS and ${choice.origin('noTls')} for none: give one of them`;
  throw new JitneyError('bad-option', text);
}

/** Jitney's directory in the user's configuration directory of this platform. */
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
