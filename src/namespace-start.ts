// Starts a namespace: its engine with all that belongs to it.

import { join } from 'node:path';
import type { Command } from './broker/contract/command.js';
import { CurrentConfiguration } from './config/current-configuration.js';
import { sharedSuggestions, suggestEntity } from './config/entity-names.js';
import { type GivenNamespace, policiesFor } from './config/given-namespaces.js';
import { faultText } from './config/guarded-log.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { ownVersion } from './config/package-file.js';
import { bodyText } from './content/body-text.js';
import { DEFAULT_NAMESPACE } from './description/namespace-name.js';

import type { Engine } from './engine/engine.js';
import type { SystemGuids } from './engine/system-guids.js';
import { startRealTimer } from './engine/timer.js';
import { type StartContent, startEngine, tearDown, type Undo } from './engine-start.js';
import { inspectCauses } from './inspect/inspect-causes.js';
import { writeLeftLocked } from './inspect/left-locked.js';
import { notRunning } from './inspect/look-context.js';
import { noneTook, writeNotTaken } from './inspect/not-taken.js';
import { OpenWaits } from './inspect/wait-until.js';
import { type NamespaceParts, RunningNamespace } from './namespace.js';
import type { EntraTokens } from './security/entra-token.js';
import { authorizerFor, autoCreateFor, isPageExpected } from './server-options.js';
import { Snapshots } from './snapshots.js';
import { emulatorClock } from './steer/emulator-clock.js';
import { Faults } from './steer/faults.js';
import { noteOnMissing } from './steer/missing-entity.js';
import { writeActivityLog } from './watch/activity-log.js';
import { ActivityStream } from './watch/activity-stream.js';

/** The folder of the namespaces besides `default` in the data directory. */
export const NAMESPACES_FOLDER = 'namespaces';

type NamespaceToStart = {
  readonly name: string;
  readonly options: EmulatorOptions;
  readonly content: StartContent;
};

type NamespaceContext = {
  readonly guids: SystemGuids;
  readonly entraTokens: EntraTokens;
  /** Opens certificate and ports before anything is changed. Default: they are open already. */
  readonly tryPorts?: () => Promise<void>;
};

/** The options of an emulator as they are for a namespace. Its lines in the log begin with its name. */
export function optionsFor(
  options: EmulatorOptions,
  { name, policies = policiesFor(options.policies, name) }: GivenNamespace,
): EmulatorOptions {
  const { dataDirectory, log, policies: _, ...others } = options;
  const isDefault = name === DEFAULT_NAMESPACE;
  const own: EmulatorOptions = { ...others, ...(policies && { policies }) };
  const directory = isDefault ? dataDirectory : dataDirectory && directoryOf(dataDirectory, name);
  const prefix = isDefault ? '' : `[${name}] `;
  return {
    ...own,
    ...(directory !== undefined && { dataDirectory: directory }),
    ...(log && { log: (level, message, details) => log(level, `${prefix}${message}`, details) }),
  };
}

export function directoryOf(dataDirectory: string, namespace: string): string {
  return join(dataDirectory, NAMESPACES_FOLDER, namespace);
}

/** Throws the JitneyError that refuses the start, and leaves nothing running. */
export async function startNamespace(
  toStart: NamespaceToStart,
  context: NamespaceContext,
): Promise<RunningNamespace> {
  const teardown: Undo[] = [];
  try {
    return await start(toStart, context, teardown);
  } catch (error) {
    // The error of the start is more useful than an error of the teardown.
    await tearDown(teardown).catch(() => {});
    throw error;
  }
}

async function start(
  { name, options, content }: NamespaceToStart,
  { guids, entraTokens, tryPorts = async () => {} }: NamespaceContext,
  teardown: Undo[],
): Promise<RunningNamespace> {
  const started = await startEngine(options, content, { guids, teardown, tryPorts });
  const { engine, kept, clock: control, makeBroker, setup } = started;
  const activity = new ActivityStream(engine, Date.now, {
    onFault: (fault) => options.log?.('error', `A fault of the emulator's log: ${faultText(fault)}`),
    startTimer: startRealTimer,
  });
  teardown.push(async () => activity.end());
  engine.onFault((text) => options.log?.('error', text));
  if (options.telemetry === true && name !== DEFAULT_NAMESPACE) {
    const { observeWithOpenTelemetry } = await import('./traces/telemetry.js');
    teardown.push(await observeWithOpenTelemetry({ engine, activity, version: ownVersion() }));
  }
  const faults = makeFaults(engine, guids, options);
  teardown.push(async () => faults.end());
  const waits = new OpenWaits();
  const similarTo = sharedSuggestions((command) => engine.ask(command));
  engine.failed.catch((cause: unknown) => waits.endAll(notRunning(cause)));
  const looks: Undo[] = [async () => waits.endAll(notRunning())];
  return new RunningNamespace({
    ...{ name, options, engine, kept, setup, activity, faults, waits },
    configuration: new CurrentConfiguration(content.entities, options, setup),
    clock: emulatorClock(control, activity),
    snapshots: new Snapshots(engine, makeBroker),
    authorizer: authorizerFor(engine, options, entraTokens),
    autoCreate: autoCreateFor(engine, options),
    similarTo,
    wake: () => {
      record(activity, engine, options);
      if (options.log !== undefined) looks.unshift(startLog(options, { activity, engine, similarTo }));
    },
    endLooks: () => tearDown(looks),
    stop: () => tearDown(teardown),
  });
}

/** Starts to record if a page is to show it. */
function record(activity: ActivityStream, engine: Engine, options: EmulatorOptions): void {
  if (!isPageExpected(options)) return;
  activity.turnOn();
  // Begins to count the dead letters that are there before there are clients.
  inspectCauses(engine).catch(() => {});
}

function makeFaults(engine: Engine, guids: SystemGuids, { faultProperty }: EmulatorOptions): Faults {
  const ask = (command: Command) => engine.ask(command);
  const similarTo = (path: string) => suggestEntity(path, ask);
  return new Faults({
    nextGuid: () => guids.next(),
    readsProperty: faultProperty === true,
    noteOn: (path) => noteOnMissing(path, { ask, similarTo }),
  });
}

/** Writes what happens to the log. Returns the step that ends it. */
function startLog(
  { log, logLevel = 'info', logBodies = false }: EmulatorOptions,
  { activity, engine, similarTo }: Pick<NamespaceParts, 'activity' | 'engine' | 'similarTo'>,
): Undo {
  const isDebug = logLevel === 'debug' || logLevel === 'trace';
  if (!isDebug && logLevel !== 'info') return async () => {};
  const end = writeActivityLog(activity, {
    isDebug,
    bodyText: logBodies ? bodyText : undefined,
    write: (level, text, record) => log?.(level, text, record),
    suggest: similarTo,
    whyUnmatched: (topic, content) => noneTook(engine, topic, content),
    startTimer: startRealTimer,
  });
  const ends = [
    end,
    writeLeftLocked(activity, engine, {
      write: (text, record) => log?.('info', text, record),
      startTimer: startRealTimer,
    }),
  ];
  if (isDebug) ends.push(writeNotTaken(activity, engine, (text, message) => log?.('debug', text, message)));
  return async () => {
    for (const one of ends) one();
  };
}
