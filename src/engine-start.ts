// Starts journal, broker, engine and clock over the data directory, and creates the configured entities.

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Broker } from './broker/broker.js';
import type { Command } from './broker/contract/command.js';
import type { StoredEvent } from './broker/contract/event.js';
import type { Limits } from './broker/contract/limits.js';
import type { Result } from './broker/contract/result.js';
import { ServiceBusError } from './broker/contract/service-bus-error.js';
import type { Entities } from './config/configured-entities.js';
import { EntitySetup, entitiesToPut, type SetupContext, setUpEntities } from './config/entity-setup.js';
import { type KeptEntities, listKeptEntities } from './config/kept-entities.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { brokerOptions } from './config/part-options.js';
import { contentReader } from './content/message-reader.js';
import { SystemClock } from './engine/clock.js';
import { Engine } from './engine/engine.js';
import type { Journal } from './engine/ports.js';
import type { SystemGuids } from './engine/system-guids.js';
import { JitneyError } from './jitney-error.js';
import { JOURNAL_FOLDER, makeDataDirectory } from './journal/data-directory.js';
import { MemoryJournal } from './journal/memory-journal.js';
import { type Seed, SeededBroker } from './seeds.js';
import { ClockControl } from './steer/clock-control.js';
import { ClockFile } from './steer/clock-file.js';
import { shortDuration } from './watch/record-kinds.js';

/** The pause before a command is repeated that was refused because copies are still being made. */
const BUSY_PAUSE_MS = 5;

const SEED_NOT_USED =
  'The seed was not used, because the data directory has entities of earlier starts. --reset removes them first.';

/** Undoes one step of the start. */
export type Undo = () => Promise<void>;

/** Undoes all steps, the last one first; then throws the first error. */
export async function tearDown(steps: Undo[]): Promise<void> {
  const failures: unknown[] = [];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    await step().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** The entities and messages that an emulator begins with. */
export type StartContent = { readonly entities: Entities; readonly seeds: readonly Seed[] };

export type StartedEngine = {
  readonly engine: Engine;
  readonly kept: KeptEntities;
  readonly clock: ClockControl;
  readonly makeBroker: () => Broker;
  readonly setup: SetupContext;
};

/** Checks entities and seed on a broker of their own. Throws the JitneyError with which a start would refuse them. */
export async function checkContent(
  options: EmulatorOptions,
  content: StartContent,
  guids: SystemGuids,
): Promise<void> {
  const { limits } = brokerOptions(options);
  const { makeBroker, copyOf } = brokersFor(options, guids);
  await seedingCommand(content, new SeededBroker(makeBroker(), Date.now()), limits);
  await new EntitySetup(copyOf([]), limits).run(entitiesToPut(content.entities));
}

function brokersFor(options: EmulatorOptions, guids: SystemGuids) {
  const { limits, behaviour } = brokerOptions(options);
  const makeBroker = () =>
    new Broker({ limits, behaviour, nextGuid: () => guids.next(), messageReader: contentReader });
  const copyOf = (stored: readonly StoredEvent[]) => {
    const copy = makeBroker();
    copy.restore(stored);
    return async (command: Command) => copy.execute(command, 0).result;
  };
  return { makeBroker, copyOf };
}

type StartContext = {
  readonly guids: SystemGuids;
  readonly teardown: Undo[];
  /** Opens certificate and ports before anything is changed. */
  readonly tryPorts: () => Promise<void>;
};

/** Starts journal, broker and engine: recovers what is stored, then creates the configured entities. */
export async function startEngine(
  options: EmulatorOptions,
  { entities, seeds }: StartContent,
  { guids, teardown, tryPorts }: StartContext,
): Promise<StartedEngine> {
  const { contentBudgetBytes } = options;
  const { limits } = brokerOptions(options);
  const { makeBroker, copyOf } = brokersFor(options, guids);
  if (options.dataDirectory !== undefined) await makeDataDirectory(options.dataDirectory);
  const mayKeep = await keepsEarlier(options);
  const seeding = seedingCommand({ entities, seeds }, new SeededBroker(makeBroker(), Date.now()), limits);
  // A directory with entities of earlier starts does not use the seed, so it may name what only that directory has.
  if (mayKeep) seeding.catch(() => {});
  else await seeding;
  // A start that is refused for its seed, entities, certificate or ports must not reset anything.
  if (options.reset === true && options.dataDirectory !== undefined) {
    await new EntitySetup(copyOf([]), limits).run(entitiesToPut(entities));
    await tryPorts();
  }
  const engine = new Engine(
    makeBroker(),
    await openStorage(options),
    new SystemClock(),
    contentBudgetBytes === undefined ? {} : { contentBudgetBytes },
  );
  teardown.push(() => engine.stop());
  const clock = await startWithClock(engine, options);
  const ask = (command: Command) => engine.ask(command);
  const kept = await listKeptEntities(ask);
  // After the journal's lock, so that a directory in use is reported first; before any entity is written.
  if (options.dataDirectory !== undefined && options.reset !== true) await tryPorts();
  const askUntilDone = (command: Command) => askWhileBusy(command, engine);
  const setup = { ask: askUntilDone, limits, copyOf };
  const isEmpty = kept.queues.length + kept.topics.length === 0;
  const hasSeed = seeds.length > 0;
  if (hasSeed && !isEmpty) options.log?.('info', SEED_NOT_USED);
  const settingUp =
    hasSeed && isEmpty
      ? seeding.then((command) => seedEngine(command, ask))
      : setUpEntities(entitiesToPut(entities), setup);
  await settingUp.catch((error: unknown) => {
    // When the engine has broken meanwhile, its cause says more than its refusals.
    return error instanceof ServiceBusError
      ? Promise.race([engine.failed, Promise.reject(error)])
      : Promise.reject(error);
  });
  return { engine, kept, clock, makeBroker, setup };
}

/** Whether the data directory may have entities of earlier starts. */
async function keepsEarlier({ dataDirectory, reset }: EmulatorOptions): Promise<boolean> {
  if (dataDirectory === undefined || reset === true) return false;
  return access(join(dataDirectory, JOURNAL_FOLDER)).then(
    () => true,
    () => false,
  );
}

/** The command that makes entities and seed at once in an empty emulator; undefined without a seed. Throws a JitneyError. */
async function seedingCommand(
  { entities, seeds }: StartContent,
  broker: SeededBroker,
  limits: Limits,
): Promise<Command | undefined> {
  if (seeds.length === 0) return undefined;
  await new EntitySetup((command) => broker.ask(command), limits).run(entitiesToPut(entities));
  await broker.take(seeds);
  return broker.restoring();
}

async function seedEngine(
  seeding: Command | undefined,
  ask: (command: Command) => Promise<Result>,
): Promise<void> {
  if (seeding === undefined) return;
  const result = await ask(seeding);
  if (result.kind === 'failed') throw result.error;
}

/** Rules cannot change while copies of the last run are still being made (TOP-15), which ends by itself. */
async function askWhileBusy(command: Command, engine: Engine): Promise<Result> {
  for (;;) {
    const result = await engine.ask(command);
    if (result.kind !== 'failed' || result.error.reason !== 'server-busy') return result;
    await pause(BUSY_PAUSE_MS);
  }
}

/** Goes on with the clock's setting of the last run, unless the options say something else. */
async function startWithClock(
  engine: Engine,
  { clock: mode, dataDirectory, reset = false, log }: EmulatorOptions,
): Promise<ClockControl> {
  const file = dataDirectory === undefined ? undefined : new ClockFile(dataDirectory);
  if (reset) await file?.write(undefined);
  const stored = await file?.read().catch((error: Error) => {
    throw new JitneyError('clock-file-invalid', error.message, { cause: error });
  });
  const aheadMs = await engine.start(stored);
  if (aheadMs !== undefined) log?.('warn', clockWarning(aheadMs));
  const clock = new ClockControl(engine, stored?.hiddenMs ?? 0, file && { save: (kept) => file.write(kept) });
  if (mode === 'real') await clock.reset();
  if (mode === 'virtual') await clock.freeze();
  return clock;
}

function clockWarning(aheadMs: number): string {
  const ahead = shortDuration(aheadMs);
  return (
    `The machine's clock is ${ahead} behind the last time in the journal, so it was ahead when that time was written. All times of ` +
    `messages that are later than now are read as ${ahead} earlier. If the clock is wrong now, set it.`
  );
}

async function openStorage({
  dataDirectory,
  durability = 'os',
  reset = false,
  log,
}: EmulatorOptions): Promise<Journal> {
  if (dataDirectory === undefined) return new MemoryJournal();
  const { openJournal } = await import('./journal/open-journal.js');
  const warn = (text: string) => log?.('warn', text);
  return openJournal({ directory: join(dataDirectory, JOURNAL_FOLDER), durability, reset, warn });
}
