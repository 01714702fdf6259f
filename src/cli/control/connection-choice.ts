// Chooses the service that a command talks to: by a connection string, or the emulator on a port of this machine.

import { type Environment, type Flags, flagName, originOf } from '../../config/environment.js';
import { type GivenConnectionString, parseConnectionString } from '../../config/given-connection-string.js';
import { refusing } from '../../config/options/option-types.js';
import type { Settings } from '../../config/settings.js';
import { joinKeyName, readNamespaceName, splitKeyName } from '../../description/namespace-name.js';
import { JitneyError } from '../../jitney-error.js';

/** The variable in which `jitney env` gives a program its connection string. */
export const CONNECTION_VARIABLE = 'SERVICEBUS_CONNECTION_STRING';

/** A connection string, and the flag or variable that gives it. */
export type ChosenConnection = GivenConnectionString & { readonly from: string };

/**
 * Returns the connection string to use; undefined if the port is to be used. Flags win over variables. The variable of the port wins over
 * the one with a connection string, because it can only mean an emulator. Throws a JitneyError, which never repeats a key.
 */
export function chosenConnection(
  connectionString: string | undefined,
  flags: Flags,
  environment: Environment,
): ChosenConnection | undefined {
  const own = (['host', 'port'] as const).find((name) => flags[name] !== undefined);
  const flag = flagName('connectionString');
  if (connectionString !== undefined) {
    if (own === undefined) return parsed('bad-option', flag, connectionString);
    const text = `${flag} and ${flagName(own)} both say where to connect: give only one of them`;
    throw new JitneyError('bad-option', text);
  }
  const variable = environment[CONNECTION_VARIABLE];
  if (own !== undefined || originOf('port', flags, environment) !== undefined || !variable) return undefined;
  return parsed('bad-variable', CONNECTION_VARIABLE, variable);
}

const AZURE = /\.servicebus\.(windows\.net|chinacloudapi\.cn|usgovcloudapi\.net|cloudapi\.de)$/i;

export function isAzure({ host, isEmulator }: Pick<GivenConnectionString, 'host' | 'isEmulator'>): boolean {
  return AZURE.test(host) && !isEmulator;
}

/** The namespace of an option; undefined without it. Throws a JitneyError for what cannot be a name: a key with it would mean `default`. */
export function readNamespace(given: string | undefined, option = 'namespace'): string | undefined {
  if (given === undefined) return undefined;
  return refusing('bad-option', flagName(option), () => readNamespaceName(given));
}

/** The access whose key chooses the namespace by its name. A token stays as it was signed. */
export function accessTo(
  namespace: string | undefined,
  access: GivenConnectionString['access'],
): GivenConnectionString['access'] {
  if (namespace === undefined || access.kind !== 'key') return access;
  return { ...access, keyName: joinKeyName(splitKeyName(access.keyName).policy, namespace) };
}

/** The flags or variables that name the port and host of an emulator; undefined if none does. */
export function portOrigin(flags: Flags, environment: Environment): string | undefined {
  const origins = (['host', 'port'] as const).map((name) => originOf(name, flags, environment));
  return origins.filter((origin) => origin !== undefined).join(' and ') || undefined;
}

/** Refuses port 0 with a JitneyError, because only the running emulator knows the free port that it takes. */
export function refuseFreePort({ port }: Settings): void {
  if (port !== 0) return;
  const text = `${flagName('port')} 0 takes a port that only the running emulator knows: give a number`;
  throw new JitneyError('bad-option', text);
}

/** A line for people that says where an address comes from. */
export function originText(from: string | undefined): string {
  if (from !== undefined) return `The address is given by ${from}`;
  return `The address is the default: no ${flagName('port')}, JITNEY_PORT or ${CONNECTION_VARIABLE} gives another`;
}

function parsed(kind: 'bad-option' | 'bad-variable', from: string, text: string): ChosenConnection {
  return { ...refusing(kind, from, () => parseConnectionString(text)), from };
}
