// Composes a start that works although its ports or its directory are in use: with free ports and another directory.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { relative } from 'node:path';
import { type Flags, flagName } from '../../config/environment.js';
import { OPTIONS } from '../../config/options/option-table.js';
import { AMQPS_PORT } from '../../config/options/tls-options.js';
import type { Settings } from '../../config/settings.js';
import { isOfKind } from '../../jitney-error.js';
import { takenPort } from '../output/error-report.js';
import { shellWord } from '../output/shell-word.js';

const TRIED_COUNT = 20;
const LAST_PORT = 65_535;
const LOOPBACK = ['127.0.0.1', '::1'] as const;
const PORTS = ['port', 'httpPort', 'tlsPort', 'httpsPort'] as const;

/**
 * The command with everything replaced that is in use; undefined for an error of another kind, or if no port is free. A start takes its
 * directory first, so the directory is in use only if the error says so.
 */
export async function startInstead(
  error: unknown,
  flags: Flags,
  { settings, typedAs }: { readonly settings: Settings | undefined; readonly typedAs: string },
): Promise<string | undefined> {
  const isLocked = isOfKind(error, 'locked');
  if (settings === undefined || !(isLocked || isOfKind(error, 'in-use'))) return undefined;
  const ports = await freePorts(takenPort(error), settings);
  if (ports === undefined) return undefined;
  const { dataDirectory } = settings;
  const data = isLocked && dataDirectory !== undefined ? { data: otherDirectory(dataDirectory) } : {};
  return commandOf(typedAs, { ...flags, ...ports, ...data });
}

/** A free port for each port that is in use; undefined if there is none. */
async function freePorts(
  refused: number | undefined,
  settings: Settings,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { host } = settings;
  // Default ports are not chosen, because they may belong to a program that is not running now.
  const defaults = [OPTIONS.port.default, OPTIONS.httpPort.default, AMQPS_PORT];
  const used = new Set<unknown>([...PORTS.map((name) => settings[name]), ...defaults]);
  const changes: Record<string, string> = {};
  for (const name of PORTS) {
    const wanted = settings[name];
    if (typeof wanted !== 'number' || wanted === 0) continue;
    if (wanted !== refused && (await isFree(wanted, host))) continue;
    const free = await firstFree(
      neighboursOf(wanted).filter((port) => !used.has(port)),
      host,
    );
    if (free === undefined) return undefined;
    used.add(free);
    changes[name] = String(free);
  }
  return changes;
}

async function firstFree(ports: readonly number[], host: string): Promise<number | undefined> {
  for (const port of ports) if (await isFree(port, host)) return port;
  return undefined;
}

/** A directory beside this one that does not exist yet. */
function otherDirectory(directory: string): string {
  let number = 2;
  while (existsSync(`${directory}-${number}`)) number += 1;
  const path = `${directory}-${number}`;
  const near = relative('.', path);
  return near.startsWith('..') ? path : `./${near}`;
}

/** The command line with these flags. Keys of policies are left out, because a report may be kept in a log. */
function commandOf(typedAs: string, flags: Flags): string {
  const words = Object.entries(flags).flatMap(([name, given]) => {
    if (given === true) return [flagName(name)];
    const values = (Array.isArray(given) ? given : [given]).map(String);
    const shown = name === 'policy' ? values.map((value) => value.replace(/:.*$/s, ':<key>')) : values;
    return shown.flatMap((value) => [flagName(name), shellWord(value)]);
  });
  return [typedAs, ...words].join(' ');
}

function neighboursOf(port: number): number[] {
  const step = port + TRIED_COUNT <= LAST_PORT ? 1 : -1;
  return Array.from({ length: TRIED_COUNT }, (_, index) => port + step * (index + 1));
}

async function isFree(port: number, host: string): Promise<boolean> {
  const addresses = host.toLowerCase() === 'localhost' ? LOOPBACK : [host];
  for (const address of addresses) {
    const server = createServer().listen({ port, host: address, exclusive: true });
    const code = await once(server, 'listening').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    server.close();
    // If the machine has no IPv6, the port there does not matter.
    if (code !== undefined && code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') return false;
  }
  return true;
}
