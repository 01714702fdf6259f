// How the benchmark runs RabbitMQ: on loopback, with its own name, ports, data and plugins, beside any other.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { GuardedProcess } from './guarded-process.js';
import { freePort, HOST, isListening } from './ports.js';
import { QUEUE } from './scenarios.js';

export const NOT_INSTALLED =
  'RabbitMQ is not on this machine; install it (Debian, Ubuntu: apt-get install rabbitmq-server) and run this again.';

/** What the script on Debian's path calls after it has changed the user, for which it has to be root. */
const DEBIAN_SCRIPT = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** A request to epmd: its length, and `n` for the names that it knows. */
const LIST_OF_NAMES = Buffer.from('\0\x01n', 'latin1');

/** The programs that start one. */
export type Rabbitmq = { readonly script: string; readonly epmd: string };

export function findRabbitmq(): Rabbitmq | undefined {
  const script = [DEBIAN_SCRIPT, ...onPath('rabbitmq-server')].find(existsSync);
  const epmd = onPath('epmd').find(existsSync);
  return script === undefined || epmd === undefined ? undefined : { script, epmd };
}

function onPath(program: string): string[] {
  return (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, program));
}

/** Starts one whose files lie in `directory`, and behind it Erlang's name server: RabbitMQ needs one, and would start a daemon that stays. */
export async function startRabbitmq(
  { script, epmd }: Rabbitmq,
  directory: string,
  port: number,
): Promise<[broker: GuardedProcess, nameServer: GuardedProcess]> {
  const nameServerPort = await freePort();
  const nameServer = new GuardedProcess([epmd, '-port', String(nameServerPort), '-address', HOST]);
  if (await isListening(nameServerPort, LIST_OF_NAMES)) {
    const environment = await configure(directory, { port, nameServerPort });
    return [new GuardedProcess([script], environment), nameServer];
  }
  await nameServer.stop();
  throw new Error(`epmd does not listen:\n${nameServer.output}`);
}

/** Writes its files and returns its whole environment, without the settings of any other RabbitMQ. */
async function configure(
  directory: string,
  { port, nameServerPort }: { readonly port: number; readonly nameServerPort: number },
): Promise<NodeJS.ProcessEnv> {
  const file = (name: string) => join(directory, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(file('rabbitmq.conf'), configuration(port, file('definitions.json')));
  writeFileSync(file('definitions.json'), JSON.stringify(DEFINITIONS));
  writeFileSync(file('enabled_plugins'), '[rabbitmq_amqp1_0].\n');
  writeFileSync(file('empty'), '');
  return {
    PATH: process.env.PATH,
    // The script becomes the broker instead of waiting for it: one process to look at and to end.
    RUNNING_UNDER_SYSTEMD: 'true',
    HOME: directory,
    ERL_EPMD_PORT: String(nameServerPort),
    ERL_EPMD_ADDRESS: HOST,
    RABBITMQ_NODENAME: `jitney-bench-${port}@localhost`,
    RABBITMQ_DIST_PORT: String(await freePort()),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_CONF_ENV_FILE: file('empty'),
    RABBITMQ_CONFIG_FILE: file('rabbitmq.conf'),
    RABBITMQ_CONFIG_FILES: file('conf.d'),
    RABBITMQ_ADVANCED_CONFIG_FILE: file('advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins'),
    RABBITMQ_MNESIA_BASE: file('data'),
    RABBITMQ_PID_FILE: file('pid'),
    RABBITMQ_LOG_BASE: file('log'),
    RABBITMQ_LOGS: '-',
  };
}

function configuration(port: number, definitions: string): string {
  return `listeners.tcp.bench = ${HOST}:${port}\nload_definitions = ${definitions}\n`;
}

/** The AMQP 1.0 plugin logs an anonymous client in as guest. */
const DEFINITIONS = {
  vhosts: [{ name: '/' }],
  users: [{ name: 'guest', password: 'guest', tags: '' }],
  permissions: [{ user: 'guest', vhost: '/', configure: '.*', write: '.*', read: '.*' }],
  queues: [{ name: QUEUE, vhost: '/', durable: true, auto_delete: false, arguments: {} }],
};
