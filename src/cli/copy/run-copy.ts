// `jitney copy`: finds both services, says what the destination cannot keep, and copies entities and messages.

import { AdminClient } from '../../client/admin-client.js';
import { AmqpClient } from '../../client/amqp-client.js';
import { portOf, type Service } from '../../client/service.js';
import { formatConnectionString } from '../../config/connection-string.js';
import type { Environment } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { splitKeyName } from '../../description/namespace-name.js';
import { readNamespace } from '../control/connection-choice.js';
import type { ControlClient } from '../control/control-client.js';
import type { AddressFlags } from '../control/emulator-address.js';
import { findJitney } from '../control/find-jitney.js';
import type { AskRunning } from '../control/running-authority.js';
import { targetOptions, UNSHOWN_CONNECTION } from '../control/target-options.js';
import { dropProblem, mayDrop } from '../messages/duplicate-check.js';
import { FINISH_MS } from '../messages/receive-command.js';
import { findService } from '../messages/service-target.js';
import type { CommandContext } from '../output/command-context.js';
import { INTERRUPTED, printError, usageError } from '../output/error-report.js';
import { countOf } from '../output/output.js';
import { progressLines } from '../output/progress.js';
import { confirmed } from '../output/question.js';
import { AmqpDestination, AmqpSource, copyIdOf, withoutDeadLetters } from './amqp-side.js';
import { CopiedNames } from './copied-names.js';
import type { CopyFlags, CopyRequest } from './copy-commands.js';
import { copyEntities } from './copy-entities.js';
import { type CopyPlan, type CopyTally, copyMessages } from './copy-messages.js';
import { CopyNotes } from './copy-notes.js';
import { type CopiedStore, type CopyDestination, type CopySource, leftBehind } from './copy-side.js';
import { JitneyDestination, JitneySource } from './jitney-side.js';

export type CopyContext = { readonly askRunning: AskRunning } & Pick<
  CommandContext,
  'environment' | 'stdout' | 'stderr' | 'interrupted' | 'now' | 'isTerminal' | 'readAnswer'
>;

type Side = {
  readonly service: Service;
  /** Undefined for another service than a Jitney, or one whose control interface is off. */
  readonly control: ControlClient | undefined;
};

type GivenSide = {
  readonly argument: 'from' | 'to';
  readonly given: string;
  readonly named: string | undefined;
};

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/i;

/** Resolves with the exit code. */
export async function runCopy({ from, to, flags }: CopyRequest, context: CopyContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = readSettings({}, context.environment);
    refuseCombinations(flags);
    const names = new CopiedNames(flags);
    const sides = {
      source: await openSide(
        { argument: 'from', given: from, named: flags.fromNamespace },
        settings,
        context,
      ),
      target: await openSide({ argument: 'to', given: to, named: flags.toNamespace }, settings, context),
    };
    const { source, target } = sides;
    if (flags.entities === true || flags.messages !== true) await runEntities(source, target, names, context);
    if (flags.entities === true && flags.messages !== true) return 0;
    const options = sourceOptions({ from, flags }, context.environment);
    return await runMessages({ ...sides, names, flags, options }, settings, context);
  } catch (error) {
    if (context.interrupted.aborted) return INTERRUPTED;
    return printError(error, settings, { stderr: context.stderr, command: 'copy', isJson: flags.json });
  }
}

function refuseCombinations({ entities, messages, move }: CopyFlags): void {
  const isOnlyEntities = entities === true && messages !== true;
  if (move === true && isOnlyEntities) {
    throw usageError('--move deletes messages, and --entities copies none: give only one of them');
  }
}

async function openSide(
  { argument, given, named }: GivenSide,
  settings: Settings,
  context: CopyContext,
): Promise<Side> {
  const { environment, askRunning } = context;
  const namespace = readNamespace(named, `${argument}Namespace`);
  const connectionString = connectionStringOf(given, settings, environment);
  if (connectionString === undefined) {
    const text = `<${argument}> must be a connection string, the name of a variable that holds one, or a port`;
    throw usageError(
      `${text}: it is no connection string, because it has no Endpoint=, and no variable has this name`,
    );
  }
  const where = { connectionString, ...(namespace !== undefined && { namespace }) };
  const common = { ...where, transport: 'amqp', flags: {}, settings, askRunning } as const;
  const { service } = await findService({ ...common, environment: {} });
  const control = await openControl(where, settings, context);
  return { service, control };
}

/** Undefined if it is none of the three. No message repeats it, because it could be or hold a key. */
function connectionStringOf(given: string, settings: Settings, environment: Environment): string | undefined {
  if (/^\d{1,5}$/.test(given)) return formatConnectionString('localhost', Number(given), settings.policies);
  if (/endpoint=/i.test(given)) return given;
  const value = /^\w+$/.test(given) ? environment[given] : undefined;
  return value === '' ? undefined : value;
}

/** The options of another command that lead to the source. A variable is named as a shell of Linux and macOS reads it. */
function sourceOptions(
  { from, flags: { fromNamespace } }: Pick<CopyRequest, 'from' | 'flags'>,
  environment: Environment,
): string {
  const namespace = targetOptions({ namespace: fromNamespace });
  if (/^\d{1,5}$/.test(from)) return ` --port ${from}${namespace}`;
  const shown = environment[from] === undefined ? UNSHOWN_CONNECTION : `"$${from}"`;
  return ` --connection-string ${shown}${namespace}`;
}

/** The control interface of a Jitney; undefined if it is none, or its interface is off. Throws a JitneyError if the key lacks Manage. */
async function openControl(
  flags: AddressFlags,
  settings: Settings,
  { askRunning }: CopyContext,
): Promise<ControlClient | undefined> {
  const choice = { settings, flags, environment: {}, askRunning };
  const client = await findJitney(choice);
  await client?.call({ name: 'info' });
  return client;
}

async function runEntities(
  source: Side,
  target: Side,
  names: CopiedNames,
  context: CopyContext,
): Promise<void> {
  const { interrupted, stderr } = context;
  const [from, to] = [adminOf(source, interrupted), adminOf(target, interrupted)];
  try {
    const { created, existing } = await copyEntities(from, to, names);
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
  readonly names: CopiedNames;
  readonly flags: CopyFlags;
  /** The options that lead to the source, to repeat in a printed command. */
  readonly options: string;
};

async function runMessages(
  { source, target, names, flags, options }: Copying,
  settings: Settings,
  context: CopyContext,
): Promise<number> {
  const { interrupted, stderr, stdout } = context;
  const from = await sourceOf(source, interrupted);
  let to: CopyDestination | undefined;
  const isMove = flags.move === true;
  try {
    const stores = await from.stores();
    names.refuseUnknown([...new Set(stores.map(({ owner }) => owner))]);
    if (isSameNamespace(source.service, target.service)) refuseOntoItself(stores, names);
    const data = stores.filter((store) => names.of(store.owner) !== undefined).map(dataIn);
    const importId = copyIdOf(from.address, addressIn(target), names.key, ...data);
    const notes = await CopyNotes.open(settings.userDirectory, importId);
    const hasNewIds = flags.newMessageId === true;
    const destination = await destinationOf(target, { importId, notes, interrupted, hasNewIds });
    to = destination;
    for (const line of warningsOf(stores, names, { to, options })) stderr(`${line}\n`);
    const taken = stores.map((store) => names.pathOf(store)).filter((path) => path !== undefined);
    await checkDrops(
      taken.filter((path) => destination.takes(path)),
      target,
      flags,
      context,
    );
    if (isMove && flags.yes !== true) {
      const text = `Delete each message at ${from.address} when ${to.address} has it?`;
      if (!(await confirmed(text, context))) return 1;
    }
    const progress = progressLines(context);
    const tally: CopyTally = { count: 0, earlier: 0, stores: 0 };
    const plan: CopyPlan = {
      source: from,
      destination: to,
      notes,
      stores,
      pathOf: (store) => names.pathOf(store),
      isMove,
      interrupted,
      onProgress: ({ count }) => progress(() => `${countOf(count, 'message')} so far`),
    };
    let isEnded = false;
    try {
      await copyMessages(plan, tally);
      isEnded = !interrupted.aborted;
    } finally {
      stderr(summaryOf(tally, { from, to, isMove, isEnded }));
      if (flags.json === true) stdout(`${JSON.stringify(tally)}\n`);
    }
    if (interrupted.aborted) return INTERRUPTED;
    return Object.values(leftBehind(from)).every((count) => count === 0) ? 0 : 1;
  } finally {
    await Promise.all([from.close(), to?.close()]);
  }
}

/** Says which queues and topics of another service may drop messages as duplicates. A move would lose these, so it is refused. Throws a JitneyError. */
async function checkDrops(
  paths: readonly string[],
  target: Side,
  { newMessageId = false, mayDropDuplicates = false, move = false }: CopyFlags,
  { interrupted, stderr }: CopyContext,
): Promise<void> {
  if (target.control !== undefined || newMessageId || mayDropDuplicates) return;
  const admin = adminOf(target, interrupted);
  try {
    for (const name of new Set(paths.map(withoutDeadLetters))) {
      const problem = await dropProblem(name, admin);
      if (problem !== undefined && move) throw mayDrop(problem);
      if (problem !== undefined) stderr(`${problem}. For new ids:  --new-message-id\n`);
    }
  } finally {
    admin.close();
  }
}

function isSameNamespace(one: Service, other: Service): boolean {
  const [first, second] = [one, other].map((service) => {
    const { host, access } = service;
    const name = LOOPBACK.test(host) ? 'localhost' : host.toLowerCase();
    const namespace = access.kind === 'key' ? splitKeyName(access.keyName).namespace : undefined;
    return JSON.stringify([name, portOf(service), namespace]);
  });
  return first === second;
}

/** A copy of a queue onto itself would double its messages. Throws a JitneyError. */
function refuseOntoItself(stores: readonly CopiedStore[], names: CopiedNames): void {
  const same = stores.find(({ owner }) => names.of(owner)?.toLowerCase() === owner.toLowerCase());
  if (same === undefined) return;
  const text = `'${same.owner}' would be copied onto itself, because <from> and <to> are the same namespace`;
  throw usageError(`${text}: give it another name with --map, or leave it out with --only`);
}

/** Differs when the entity has been created anew, and with it its numbers: the marks of an earlier run mean nothing to it. */
function dataIn({ path, createdTime = '' }: CopiedStore): string {
  return createdTime === '' ? '' : `${path} ${createdTime}`;
}

/** Whatever the destination cannot take as it is, said before anything is copied. */
function warningsOf(
  stores: readonly CopiedStore[],
  names: CopiedNames,
  { to, options }: { readonly to: CopyDestination; readonly options: string },
): readonly string[] {
  const left = stores.filter((store) => {
    const path = names.pathOf(store);
    return path !== undefined && !to.takes(path) && store.count > 0;
  });
  const [first] = left;
  const count = left.reduce((sum, store) => sum + store.count, 0);
  return [
    ...(to.loss === undefined ? [] : [to.loss]),
    ...(first === undefined
      ? []
      : [
          `${countOf(count, 'message')} of subscriptions are left out, because only a topic takes messages there, for all its subscriptions`,
          `To bring them, move them to a queue first:  jitney move '${first.path}' --to <queue>${options}`,
        ]),
  ];
}

async function sourceOf(side: Side, interrupted: AbortSignal): Promise<CopySource> {
  if (side.control !== undefined) return new JitneySource(side.control);
  const client = await AmqpClient.connect(side.service, interrupted);
  client.finishWithin(FINISH_MS);
  return new AmqpSource(client, adminOf(side, interrupted), interrupted);
}

async function destinationOf(
  side: Side,
  {
    importId,
    notes,
    interrupted,
    hasNewIds,
  }: {
    readonly importId: string;
    readonly notes: CopyNotes;
    readonly interrupted: AbortSignal;
    readonly hasNewIds: boolean;
  },
): Promise<CopyDestination> {
  if (side.control !== undefined) return new JitneyDestination(side.control, importId);
  const client = await AmqpClient.connect(side.service, interrupted);
  client.finishWithin(FINISH_MS);
  return new AmqpDestination(client, addressIn(side), { notes, hasNewIds });
}

function addressIn({ service: { host, port } }: Side): string {
  return port === undefined ? host : `${host}:${port}`;
}

function summaryOf(
  { count, earlier }: CopyTally,
  end: {
    readonly from: CopySource;
    readonly to: CopyDestination;
    readonly isMove: boolean;
    readonly isEnded: boolean;
  },
): string {
  const { from, to, isMove, isEnded } = end;
  const { heldCount, inBothCount, stateCount } = leftBehind(from);
  const done = `${isMove ? 'Moved' : 'Copied'} ${countOf(count, 'message')} from ${from.address} to ${to.address}\n`;
  return [
    done,
    ...(earlier === 0
      ? []
      : [`${countOf(earlier, 'message')} of an earlier run had arrived, and are deleted at the source\n`]),
    ...(heldCount === 0
      ? []
      : [
          `${from.address}: other receivers hold messages, and what comes after them stays too; run the same command again later\n`,
        ]),
    ...(inBothCount === 0
      ? []
      : [`${countOf(inBothCount, 'message')} have arrived, and may still be at the source, too\n`]),
    ...(stateCount === 0
      ? []
      : [`The states of ${countOf(stateCount, 'session')} are left out: other receivers hold them\n`]),
    ...(isEnded ? [] : ['It is not done: the same command goes on from here\n']),
  ].join('');
}
