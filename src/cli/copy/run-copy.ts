// `jitney copy`: finds both services, says what the destination cannot keep, and copies entities and messages.

import { AdminClient } from '../../client/admin-client.js';
import { AmqpClient } from '../../client/amqp-client.js';
import type { Service } from '../../client/service.js';
import { formatConnectionString } from '../../config/connection-string.js';
import type { Environment } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { JitneyError } from '../../jitney-error.js';
import { ControlClient } from '../control/control-client.js';
import { findEmulator } from '../control/emulator-address.js';
import type { AskRunning } from '../control/running-authority.js';
import { findService } from '../messages/service-target.js';
import { printError, usageError } from '../output/error-report.js';
import { countOf, type Write } from '../output/output.js';
import { confirmed } from '../output/question.js';
import { AmqpDestination, AmqpSource, copyIdOf } from './amqp-side.js';
import type { CopyFlags, CopyRequest } from './copy-commands.js';
import { copyEntities } from './copy-entities.js';
import { type CopyTally, copyMessages } from './copy-messages.js';
import type { CopiedStore, CopyDestination, CopySource } from './copy-side.js';
import { JitneyDestination, JitneySource } from './jitney-side.js';

export type CopyContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  readonly askRunning: AskRunning;
  readonly interrupted: AbortSignal;
  readonly now: () => number;
  readonly isTerminal: boolean;
  /** The next line of standard input. */
  readonly readAnswer: () => Promise<string>;
};

type Side = {
  readonly service: Service;
  /** Undefined for another service than a Jitney, or one whose control interface is off. */
  readonly control: ControlClient | undefined;
};

const INTERRUPTED = 130;
const TERMINAL_MS = 1000;
const FILE_MS = 10_000;

/** Resolves with the exit code. */
export async function runCopy({ from, to, flags }: CopyRequest, context: CopyContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = readSettings({}, context.environment);
    const names = new Names(flags);
    const sides = {
      source: await openSide(from, settings, context),
      target: await openSide(to, settings, context),
    };
    const { source, target } = sides;
    if (flags.entities === true || flags.messages !== true) await runEntities(source, target, names, context);
    if (flags.entities === true && flags.messages !== true) return 0;
    return await runMessages({ ...sides, names, flags }, settings, context);
  } catch (error) {
    if (context.interrupted.aborted) return INTERRUPTED;
    return printError(error, settings, { stderr: context.stderr, command: 'copy' });
  }
}

/** Which queues and topics are copied, and under which names. */
class Names {
  readonly #only: ReadonlySet<string> | undefined;
  readonly #map: ReadonlyMap<string, string>;
  readonly key: string;

  constructor({ only, map = [] }: CopyFlags) {
    this.#only = only && new Set(only.map((name) => name.toLowerCase()));
    const pairs = map.map((pair): [string, string] => {
      const [from = '', to = '', ...more] = pair.split('=');
      if (from !== '' && to !== '' && more.length === 0) return [from.toLowerCase(), to];
      throw usageError(`--map must be from=to, such as orders=orders-copy, not ${JSON.stringify(pair)}`);
    });
    this.#map = new Map(pairs);
    const targets = new Set(pairs.map(([, to]) => to.toLowerCase()));
    if (targets.size < this.#map.size)
      throw usageError(
        '--map must give each queue or topic a name of its own: two would come into one entity',
      );
    this.key = JSON.stringify(pairs);
  }

  of(owner: string): string | undefined {
    const name = owner.toLowerCase();
    if (this.#only?.has(name) === false) return undefined;
    return this.#map.get(name) ?? owner;
  }

  pathOf({ path, owner }: CopiedStore): string | undefined {
    const name = this.of(owner);
    return name === undefined ? undefined : name + path.slice(owner.length);
  }
}

async function openSide(given: string, settings: Settings, context: CopyContext): Promise<Side> {
  const { environment, askRunning } = context;
  const connectionString = connectionStringOf(given, settings, environment);
  const common = { connectionString, transport: 'amqp', flags: {}, settings, askRunning } as const;
  const { service } = await findService({ ...common, environment: {} });
  const control = await openControl(connectionString, settings, context);
  return { service, control };
}

/** A connection string, the name of a variable, or a port. Never repeats a text that could hold a key. */
function connectionStringOf(given: string, settings: Settings, environment: Environment): string {
  if (/^\d{1,5}$/.test(given)) return formatConnectionString('localhost', Number(given), settings.policies);
  if (/endpoint=/i.test(given)) return given;
  const value = /^\w+$/.test(given) ? environment[given] : undefined;
  if (value !== undefined && value !== '') return value;
  const what = /^\w+$/.test(given) ? `no variable ${given} is set` : 'it has no Endpoint=';
  throw usageError(`give a connection string, the name of a variable that holds one, or a port: ${what}`);
}

/** The control interface of a Jitney; undefined if it is none, or its interface is off. */
async function openControl(
  connectionString: string,
  settings: Settings,
  { askRunning }: CopyContext,
): Promise<ControlClient | undefined> {
  try {
    const address = findEmulator(settings, { connectionString }, {});
    const client = await ControlClient.open(address, askRunning);
    await client.call({ name: 'info' });
    return client;
  } catch (error) {
    if (error instanceof JitneyError) return undefined;
    throw error;
  }
}

async function runEntities(source: Side, target: Side, names: Names, context: CopyContext): Promise<void> {
  const { interrupted, stderr } = context;
  const [from, to] = [adminOf(source, interrupted), adminOf(target, interrupted)];
  try {
    const { created, existing } = await copyEntities(from, to, (owner) => names.of(owner));
    const were = existing === 0 ? '' : `; ${existing} that were there stay as they are`;
    stderr(`Created ${entities(created)} at ${to.address}${were}\n`);
  } finally {
    from.close();
    to.close();
  }
}

function entities(count: number): string {
  return `${count} ${count === 1 ? 'entity' : 'entities'}`;
}

/** Its administration is on HTTPS, which has the same usual port as a WebSocket. */
function adminOf({ service }: Side, interrupted: AbortSignal): AdminClient {
  return new AdminClient({ ...service, transport: 'websocket' }, { interrupted });
}

type Copying = {
  readonly source: Side;
  readonly target: Side;
  readonly names: Names;
  readonly flags: CopyFlags;
};

async function runMessages(
  { source, target, names, flags }: Copying,
  settings: Settings,
  context: CopyContext,
): Promise<number> {
  const { interrupted, stderr, stdout } = context;
  const from = await sourceOf(source, interrupted);
  const importId = copyIdOf(from.address, addressIn(target), names.key);
  const to = await destinationOf(target, { importId, directory: settings.userDirectory, interrupted });
  try {
    if (to.loss !== undefined) stderr(`${to.loss}\n`);
    if (flags.move === true && from.cannotDelete !== undefined) {
      throw usageError(`--move is not possible from ${from.address}: ${from.cannotDelete}`);
    }
    if (flags.move === true && flags.yes !== true) {
      const text = `Delete each message at ${from.address} when ${to.address} has it?`;
      if (!(await confirmed(text, context))) return 1;
    }
    const tally = await copyMessages({
      source: from,
      destination: to,
      pathOf: (store) => names.pathOf(store),
      isMove: flags.move === true,
      interrupted,
      onProgress: progressTo(context),
    });
    stderr(summaryOf(tally, { from, to, isMove: flags.move === true, isEnded: !interrupted.aborted }));
    if (flags.json === true) stdout(`${JSON.stringify(tally)}\n`);
    return interrupted.aborted ? INTERRUPTED : 0;
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

async function sourceOf(side: Side, interrupted: AbortSignal): Promise<CopySource> {
  if (side.control !== undefined) return new JitneySource(side.control);
  return new AmqpSource(await AmqpClient.connect(side.service, interrupted), adminOf(side, interrupted));
}

async function destinationOf(
  side: Side,
  {
    importId,
    directory,
    interrupted,
  }: {
    readonly importId: string;
    readonly directory: string | undefined;
    readonly interrupted: AbortSignal;
  },
): Promise<CopyDestination> {
  if (side.control !== undefined) return new JitneyDestination(side.control, importId);
  const client = await AmqpClient.connect(side.service, interrupted);
  return new AmqpDestination(client, addressIn(side), directory, importId);
}

function addressIn({ service: { host, port } }: Side): string {
  return port === undefined ? host : `${host}:${port}`;
}

/** A line a second on a terminal, else every ten seconds. */
function progressTo({ stderr, now, isTerminal }: CopyContext): (tally: CopyTally) => void {
  const everyMs = isTerminal ? TERMINAL_MS : FILE_MS;
  let last = now();
  return ({ count }) => {
    if (now() - last < everyMs) return;
    last = now();
    stderr(`${countOf(count, 'message')} so far\n`);
  };
}

function summaryOf(
  { count, earlier, leftOut }: CopyTally,
  end: {
    readonly from: CopySource;
    readonly to: CopyDestination;
    readonly isMove: boolean;
    readonly isEnded: boolean;
  },
): string {
  const { from, to, isMove, isEnded } = end;
  const done = `${isMove ? 'Moved' : 'Copied'} ${countOf(count, 'message')} from ${from.address} to ${to.address}\n`;
  return [
    done,
    ...(earlier === 0
      ? []
      : [`${countOf(earlier, 'message')} of an earlier run had arrived, and are deleted at the source\n`]),
    ...(leftOut === 0 ? [] : [`${countOf(leftOut, 'message')} of subscriptions are left out\n`]),
    ...(isEnded ? [] : ['It is not done: the same command goes on from here\n']),
  ].join('');
}
