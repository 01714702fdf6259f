// Finds the running emulator that a command asks, and the key for it: by port or by connection string.

import { clientHost, clientPolicy } from '../../config/connection-string.js';
import type { Environment, Flags } from '../../config/environment.js';
import type { GivenConnectionString } from '../../config/given-connection-string.js';
import { OPTIONS } from '../../config/options/option-table.js';
import { AMQPS_PORT } from '../../config/options/tls-options.js';
import type { Settings } from '../../config/settings.js';
import { JitneyError } from '../../jitney-error.js';
import {
  accessTo,
  type ChosenConnection,
  chosenConnection,
  isAzure,
  portOrigin,
  readNamespace,
  refuseFreePort,
} from './connection-choice.js';
import { targetOptions } from './target-options.js';

export type AddressFlags = Flags & { readonly connectionString?: string; readonly namespace?: string };

export type EmulatorAddress = {
  readonly isTls: boolean;
  /** The host as in a URL: an IPv6 address is in brackets. */
  readonly host: string;
  readonly port: number;
  readonly access: GivenConnectionString['access'];
  /** Undefined: the one that the name of the key chooses, or `default`. */
  readonly namespace?: string | undefined;
  readonly entityPath: string | undefined;
  /** The flag or variable that gives the address; undefined if none does. */
  readonly from: string | undefined;
  /** The options to repeat in a printed command, such as ` --port 5673`. */
  readonly options: string;
};

/** Throws a JitneyError, for example for a connection string of Azure. */
export function findEmulator(
  settings: Settings,
  { connectionString, namespace, ...flags }: AddressFlags,
  environment: Environment,
): EmulatorAddress {
  const chosen = chosenConnection(connectionString, flags, environment);
  const options = targetOptions({ connectionString, namespace, ...flags });
  if (chosen !== undefined) return inNamespace({ ...addressIn(chosen), options }, namespace);
  refuseFreePort(settings);
  const { keyName, primaryKey } = clientPolicy(settings.policies);
  const address: EmulatorAddress = {
    isTls: false,
    host: clientHost(settings.host),
    port: settings.port,
    access: { kind: 'key', keyName, key: primaryKey },
    entityPath: undefined,
    from: portOrigin(flags, environment),
    options,
  };
  return inNamespace(address, namespace);
}

/** The address with the namespace of `--namespace`, which the name of the key then chooses, too. */
function inNamespace(address: EmulatorAddress, wanted: string | undefined): EmulatorAddress {
  const namespace = readNamespace(wanted);
  return { ...address, namespace, access: accessTo(namespace, address.access) };
}

/** Whether the options lead to a namespace of Azure. Throws a JitneyError. */
export function isOfAzure({ connectionString, ...flags }: AddressFlags, environment: Environment): boolean {
  const chosen = chosenConnection(connectionString, flags, environment);
  return chosen !== undefined && isAzure(chosen);
}

function addressIn(chosen: ChosenConnection): Omit<EmulatorAddress, 'options'> {
  const { host, port, isEmulator, access, entityPath, from } = chosen;
  if (isAzure(chosen)) {
    const text = `${from} names '${host}' of Azure, but this command can only ask a running Jitney: give its port with --port <n>`;
    throw new JitneyError(from.startsWith('--') ? 'bad-option' : 'bad-variable', text);
  }
  return {
    isTls: !isEmulator,
    host,
    port: port ?? (isEmulator ? OPTIONS.port.default : AMQPS_PORT),
    access,
    entityPath,
    from,
  };
}
