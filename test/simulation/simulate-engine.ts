// One seeded run of broker, engine and journal together on a virtual clock, with the process dying at any write.

import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { setImmediate as restOfTheLoop } from 'node:timers/promises';
import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/contract/command.js';
import type { Result } from '../../src/broker/contract/result.js';
import { Engine, type TurnBroker } from '../../src/engine/engine.js';
import type { Journal } from '../../src/engine/ports.js';
import type { DirectoryJournalOptions } from '../../src/journal/directory-journal.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { countingGuids } from '../support/broker-builders.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { VirtualTimers } from '../support/virtual-timers.js';
import { CheckedBroker } from './checked-broker.js';
import { drawConditions } from './conditions.js';
import {
  CheckedLink,
  closeLink,
  countOfTurns,
  isQuiet,
  type Life,
  throwFailure,
  WatchedJournal,
  wakeLinks,
} from './engine-life.js';
import { type CrashPlan, Machine } from './machine.js';
import { Random } from './random.js';
import { ReferenceModel } from './reference-model.js';
import type { Conditions } from './reference-state.js';
import { SelectorMaker } from './selectors.js';
import { FullTurn, SimulationFailure, type SimulationOptions } from './simulation-failure.js';
import { Tally } from './tally.js';
import { Workload } from './workload.js';

const CRASHES = ['kill', 'fault'] as const;
const CRASHES_WITH_SYNC = [...CRASHES, 'power-cut'] as const;
const START = Date.UTC(2030, 0, 1);
/** The time after which changes to rows go to the table. */
const FLUSH_DELAY_MS = 500;
/** A process that does not die at a write is killed after so many bursts. */
const MOST_BURSTS = 5;
/** Rounds of the event loop in which a living engine has certainly answered. */
const PATIENCE = 10_000;

export async function simulateEngine(options: SimulationOptions): Promise<Tally> {
  const { seed, turns } = options;
  const simulation = new EngineSimulation(options);
  try {
    await simulation.run(turns);
  } catch (error) {
    if (!(error instanceof FullTurn)) {
      throw new SimulationFailure(
        { mode: 'engine', seed, turn: simulation.turnCount, command: simulation.lastCommand },
        error,
      );
    }
    simulation.tally.note('full turn');
  }
  return simulation.tally;
}

class EngineSimulation {
  readonly tally = new Tally();
  turnCount = 0;
  lastCommand: Command | undefined;
  readonly #random: Random;
  readonly #conditions: Conditions;
  readonly #workload: Workload;
  readonly #machine: Machine;
  readonly #nextGuid = countingGuids();
  readonly #contents = new Map<number, Uint8Array>();
  readonly #crashChance: number;
  readonly #journalOptions: Pick<DirectoryJournalOptions, 'segmentBytes' | 'toleratedBytes' | 'clockMs'>;
  readonly #engineOptions: { readonly contentBudgetBytes: number; readonly maxBatchBytes: number };

  constructor(options: SimulationOptions) {
    this.#random = new Random(options.seed);
    this.#conditions = drawConditions(this.#random, options);
    this.#workload = new Workload(this.#random, this.#conditions, new SelectorMaker(options));
    this.#crashChance = this.#random.pick([0, 0.02, 0.1]);
    this.#machine = new Machine(this.#random, { isSynced: this.#random.chance(0.5) });
    this.#journalOptions = this.#drawJournalOptions();
    this.#engineOptions = {
      contentBudgetBytes: this.#random.pick([0, 2000, 64 * 2 ** 20]),
      maxBatchBytes: this.#random.pick([1, 1000, 8 * 2 ** 20]),
    };
  }

  async run(turns: number): Promise<void> {
    let life = await this.#begin(new ReferenceModel(this.#conditions), START);
    while (this.turnCount < turns) {
      if (this.#random.chance(this.#crashChance)) {
        life = await this.#dieAndRise(life);
      } else {
        await this.#burst(life);
        if (this.#random.chance(0.5)) await this.#settleDown(life);
      }
    }
    await this.#end(life);
  }

  #drawJournalOptions() {
    // The first is of a disk for which a thread waits.
    const slowest = this.#random.pick([20, 0]);
    let now = 0;
    return {
      segmentBytes: this.#random.pick([500, 2000, 16 * 2 ** 20]),
      toleratedBytes: this.#random.pick([0, 3000, 16 * 2 ** 20]),
      clockMs: () => {
        now += slowest;
        return now;
      },
    };
  }

  /** Commands one after another, mostly without a pause. */
  async #burst(life: Life): Promise<void> {
    for (let left = 1 + this.#random.integer(8); left > 0 && !this.#isOver(life); left--) {
      life.clock.advanceTo(this.#workload.nextTime(life.clock.now(), life.broker.nextDeadline()));
      this.#submit(life, this.#workload.next(life.clock.now()));
      if (this.#random.chance(0.2)) await restOfTheLoop();
      if (this.#random.chance(0.2)) wakeLinks(life);
      if (this.#random.chance(0.2)) life.timers.advance(FLUSH_DELAY_MS);
    }
  }

  /** Nothing is submitted to a process that has died, or to an engine that has failed. */
  #isOver({ hasFailed }: Life): boolean {
    return hasFailed || this.#machine.isDead;
  }

  #submit(life: Life, command: Command): void {
    this.turnCount += 1;
    const { engine } = life;
    if (isAttach(command)) this.#openLink(life, command.linkId);
    if (command.kind === 'detach' && life.links.has(command.linkId)) {
      closeLink(life, command.linkId);
    } else {
      const tag = this.turnCount;
      engine.submit(command, { completed: (told, result) => this.#hear(life, command, told, result) }, tag);
      if (life.lastTurn !== undefined) {
        life.asked.set(tag, { result: life.lastTurn.result, eventCount: life.eventCount });
      }
    }
    throwFailure(life);
  }

  #openLink(life: Life, expectedId: number): void {
    const link: CheckedLink = new CheckedLink({
      holdsLock: (lockToken) => life.broker.holdsLock(lockToken, life.clock.now()),
      contentOf: (contentId) => this.#contents.get(contentId),
      isTired: () => this.#random.chance(0.1),
      detached: ({ id }) => closeLink(life, id),
      delivered: (effect) => this.#workload.learnEffect(effect),
      happened: (what) => this.tally.note(what),
    });
    link.id = life.engine.openLink(link);
    strictEqual(link.id, expectedId, 'link ids are not counted up');
    life.links.set(link.id, link);
  }

  /** Results come in the order of the turns, each when it is durable. */
  #hear(life: Life, command: Command, tag: number, result: Result): void {
    if (this.#machine.hasFailed && isRefusedByEngine(result)) return;
    const [firstTag, first] = [...life.asked][0] ?? [];
    strictEqual(tag, firstTag, 'results come out of order');
    ok(
      first !== undefined && life.journal.durableCount >= first.eventCount,
      'invariant 7: told before durable',
    );
    deepStrictEqual(result, first.result, 'another result was told');
    life.asked.delete(tag);
    if (result.kind === 'messages') {
      for (const { contentId } of result.messages) void this.#readContent(life, contentId);
    }
    if (result.kind === 'session-state' && result.contentId !== undefined) {
      void this.#readContent(life, result.contentId);
    }
    if (isAttach(command) && result.kind === 'failed') closeLink(life, command.linkId);
  }

  /** It is there for whoever is told, even if the same turn has removed its message. */
  async #readContent(life: Life, contentId: number): Promise<void> {
    life.readingCount += 1;
    try {
      this.#checkContent(contentId, await life.engine.readContent(contentId));
      this.tally.note('content read');
    } catch (cause) {
      this.#noteFailure(life, cause);
    }
    life.readingCount -= 1;
  }

  /** Once a write has failed, the engine may fail as well. */
  #noteFailure(life: Life, cause: unknown): void {
    if (!this.#machine.hasFailed) life.failure = cause;
  }

  #checkContent(contentId: number, content: Uint8Array): Uint8Array {
    const sent = this.#contents.get(contentId);
    ok(sent !== undefined && Buffer.from(sent).equals(content), 'a content is not what was sent');
    return sent;
  }

  /** Everything that was told must be there again, and everything that is there must be whole batches. */
  async #dieAndRise(life: Life): Promise<Life> {
    const plan = this.#drawPlan();
    this.tally.note('crash');
    this.tally.note(`crash by ${plan.kind}`);
    this.#machine.plan(plan);
    const isStopped = this.#random.chance(0.2);
    for (let bursts = this.#random.integer(MOST_BURSTS); bursts > 0; bursts--) await this.#burst(life);
    if (isStopped) await life.engine.stop().catch(() => {});
    for (let rounds = this.#random.integer(5); rounds > 0; rounds--) await restOfTheLoop();
    if (!this.#machine.hasFailed) throwFailure(life);
    this.#noteDeletions();
    await this.#machine.restart();
    const { durableCount, appendedCount } = life.journal;
    if (durableCount < life.eventCount) this.tally.note('crash before everything was durable');
    if (life.asked.size > 0) this.tally.note('crash before everybody was told');
    this.#workload.restart();
    const next = await this.#rise(life, appendedCount).catch((error: unknown) => {
      if (durableCount === appendedCount) throw error;
      return undefined;
    });
    return next ?? this.#rise(life, durableCount);
  }

  #noteDeletions(): void {
    const deleted = this.#machine.files.operations.filter(([operation]) => operation === 'remove');
    this.tally.note('segment deleted', deleted.length);
  }

  #drawPlan(): CrashPlan {
    const kind = this.#random.pick(this.#machine.isSynced ? CRASHES_WITH_SYNC : CRASHES);
    return { kind, afterWrites: this.#random.integer(this.#random.pick([1, 10, 40])) };
  }

  /** Starts with what was durable after these events. */
  async #rise(life: Life, eventCount: number): Promise<Life> {
    const point = life.history.findLast((point) => point.eventCount === eventCount);
    ok(point !== undefined, 'a batch ends within a turn');
    const model = point.model.copy();
    model.restart();
    return this.#begin(model, life.clock.now());
  }

  async #begin(model: ReferenceModel, now: number): Promise<Life> {
    const broker = new CheckedBroker({
      model,
      conditions: this.#conditions,
      nextGuid: this.#nextGuid,
      tally: this.tally,
    });
    const timers = new VirtualTimers();
    const journal = new WatchedJournal(await this.#startJournal(timers));
    const clock = new VirtualClock(now);
    const engine = new Engine(
      this.#watched(broker, () => life),
      journal,
      clock,
      this.#engineOptions,
    );
    const life: Life = {
      engine,
      broker,
      journal,
      timers,
      clock,
      links: new Map(),
      asked: new Map(),
      history: [{ eventCount: 0, model: model.copy() }],
      eventCount: 0,
      readingCount: 0,
      lastTurn: undefined,
      failure: undefined,
      hasFailed: false,
    };
    engine.failed.catch((cause: unknown) => {
      life.hasFailed = true;
      this.#noteFailure(life, cause);
    });
    try {
      await engine.start();
      broker.checkRestored(await this.#readContents(life));
      return life;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  async #startJournal(timers: VirtualTimers): Promise<Journal> {
    const rows = await this.#machine.start();
    const { startTimer } = timers;
    const { files, isSynced } = this.#machine;
    return startJournal(rows, files, { ...this.#journalOptions, location: 'memory', isSynced, startTimer });
  }

  #watched(broker: CheckedBroker, lifeOf: () => Life): TurnBroker {
    return {
      execute: (command, now) => {
        this.lastCommand = command;
        const turn = broker.execute(command, now);
        this.#noteTurn(lifeOf(), command, turn);
        return turn;
      },
      nextDeadline: () => broker.nextDeadline(),
      holdsLock: (lockToken, now) => broker.holdsLock(lockToken, now),
      restore: (stored) => broker.restore(stored),
      continueContentIds: (upcoming) => broker.continueContentIds(upcoming),
      readContentsFrom: (read) => broker.readContentsFrom(read),
    };
  }

  #noteTurn(life: Life, command: Command, turn: Turn): void {
    life.lastTurn = turn;
    life.eventCount += countOfTurns(turn.events);
    life.history.push({ eventCount: life.eventCount, model: life.broker.model.copy() });
    for (const event of turn.events) {
      if (event.kind === 'content-stored') this.#contents.set(event.contentId, event.content);
    }
    const { eventCount } = life;
    for (const effect of turn.effects) {
      life.links.get(effect.linkId)?.expect(effect, () => life.journal.durableCount >= eventCount);
    }
    const atOnce = turn.effects.filter(({ kind }) => kind !== 'deliver');
    this.#workload.learn(command, { ...turn, effects: atOnce });
  }

  /** The bytes of all messages as the journal gives them back, which must be those that were sent. */
  async #readContents({ broker, journal }: Life): Promise<Map<number, Uint8Array>> {
    const contents = new Map<number, Uint8Array>();
    for (const contentId of broker.rows.neededContentIds()) {
      const read = await journal.readContent(contentId);
      contents.set(contentId, this.#checkContent(contentId, read));
    }
    for (const contentId of this.#contents.keys()) {
      if (!contents.has(contentId))
        throws(() => journal.readContentNow(contentId), 'contents were not swept');
    }
    return contents;
  }

  /** Waits until everything is durable and everybody has been told. */
  async #settleDown(life: Life): Promise<void> {
    throwFailure(life);
    for (let round = 0; !isQuiet(life); round++) {
      ok(round < PATIENCE, 'the engine has stopped answering');
      wakeLinks(life);
      await restOfTheLoop();
      throwFailure(life);
    }
    for (const link of life.links.values()) link.checkGivenBack();
    life.history = life.history.slice(-1);
  }

  /** Stops as users do; nothing is lost, and no segment is left without a message. */
  async #end(life: Life): Promise<void> {
    await this.#settleDown(life);
    await life.engine.stop();
    throwFailure(life);
    this.#noteDeletions();
    const { names, openCount } = this.#machine.files;
    ok(names.length <= [...life.broker.rows.neededContentIds()].length, 'a dead segment was left behind');
    strictEqual(openCount, 0, 'a file was left open');
    life.broker.model.restart();
    await this.#begin(life.broker.model, life.clock.now());
  }
}

type Attach = Extract<Command, { kind: `attach-${string}` | 'accept-session' }>;

function isAttach(command: Command): command is Attach {
  return command.kind.startsWith('attach-') || command.kind === 'accept-session';
}

/** The answer of an engine that has failed. */
function isRefusedByEngine(result: Result): boolean {
  return result.kind === 'failed' && result.error.reason === 'internal';
}
