// One seeded run of broker, engine and journal together on a virtual clock, with the process dying at any moment.

import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { setImmediate as restOfTheLoop } from 'node:timers/promises';
import { MemoryLevel } from 'memory-level';
import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Result } from '../../src/broker/result.js';
import { Engine, type TurnBroker } from '../../src/engine/engine.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { countingGuids } from '../support/broker-builders.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { CheckedBroker } from './checked-broker.js';
import { drawConditions } from './conditions.js';
import {
  CheckedLink,
  CrashingJournal,
  closeLink,
  countOfTurns,
  isQuiet,
  type Life,
  throwFailure,
  wakeLinks,
} from './engine-life.js';
import { Random } from './random.js';
import { ReferenceModel } from './reference-model.js';
import type { Conditions } from './reference-turn.js';
import { SimulationFailure, type SimulationOptions } from './simulation-failure.js';
import { Tally } from './tally.js';
import { Workload } from './workload.js';

const START = Date.UTC(2030, 0, 1);
/** Rounds of the event loop in which a living engine has certainly answered. */
const PATIENCE = 10_000;

export async function simulateEngine({ seed, turns }: SimulationOptions): Promise<Tally> {
  const simulation = new EngineSimulation(seed);
  try {
    await simulation.run(turns);
  } catch (error) {
    throw new SimulationFailure(
      { mode: 'engine', seed, turn: simulation.turnCount, command: simulation.lastCommand },
      error,
    );
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
  readonly #store = new MemoryLevel<string, Buffer>({ keyEncoding: 'utf8', valueEncoding: 'buffer' });
  readonly #nextGuid = countingGuids();
  readonly #contents = new Map<number, Uint8Array>();
  readonly #crashChance: number;
  readonly #checksums: boolean;
  readonly #engineOptions: { readonly contentBudgetBytes: number; readonly maxBatchBytes: number };

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#conditions = drawConditions(this.#random);
    this.#workload = new Workload(this.#random, this.#conditions);
    this.#crashChance = this.#random.pick([0, 0.02, 0.1]);
    this.#checksums = this.#random.chance(0.5);
    this.#engineOptions = {
      contentBudgetBytes: this.#random.pick([0, 2000, 64 * 2 ** 20]),
      maxBatchBytes: this.#random.pick([1, 1000, 8 * 2 ** 20]),
    };
  }

  async run(turns: number): Promise<void> {
    let life = await this.#begin(new ReferenceModel(this.#conditions), START, new Set());
    while (this.turnCount < turns) {
      const isLast = this.#random.chance(this.#crashChance);
      if (isLast) this.#planCrash(life);
      await this.#burst(life);
      if (isLast) life = await this.#dieAndRise(life);
      else if (this.#random.chance(0.5)) await this.#settleDown(life);
    }
    await this.#end(life);
  }

  /** Commands one after another, mostly without a pause. */
  async #burst(life: Life): Promise<void> {
    for (let left = 1 + this.#random.integer(8); left > 0; left--) {
      life.clock.advanceTo(this.#workload.nextTime(life.clock.now(), life.broker.nextDeadline()));
      this.#submit(life, this.#workload.next(life.clock.now()));
      if (this.#random.chance(0.2)) await restOfTheLoop();
      if (this.#random.chance(0.2)) wakeLinks(life);
    }
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
      life.failure = cause;
    }
    life.readingCount -= 1;
  }

  #checkContent(contentId: number, content: Uint8Array): Uint8Array {
    const sent = this.#contents.get(contentId);
    ok(sent !== undefined && Buffer.from(sent).equals(content), 'a content is not what was sent');
    return sent;
  }

  #planCrash({ journal }: Life): void {
    journal.planCrash({ afterBatches: this.#random.integer(3), isLastWritten: this.#random.chance(0.5) });
  }

  /** Everything that was told must be there again, and everything that is there must be whole turns. */
  async #dieAndRise(life: Life): Promise<Life> {
    this.tally.note('crash');
    for (let rounds = this.#random.integer(5); rounds > 0; rounds--) await restOfTheLoop();
    throwFailure(life);
    await life.journal.crash();
    const { durableCount } = life.journal;
    const point = life.history.findLast(({ eventCount }) => eventCount === durableCount);
    ok(point !== undefined, 'a batch ends within a turn');
    if (durableCount < life.eventCount) this.tally.note('crash before everything was durable');
    if (life.asked.size > 0) this.tally.note('crash before everybody was told');
    point.model.restart();
    this.#workload.restart();
    return this.#begin(point.model, life.clock.now(), life.journal.contentIds);
  }

  async #begin(model: ReferenceModel, now: number, contentIds: ReadonlySet<number>): Promise<Life> {
    const broker = new CheckedBroker({
      model,
      conditions: this.#conditions,
      nextGuid: this.#nextGuid,
      tally: this.tally,
    });
    await this.#store.open();
    const options = { location: 'memory', sync: false, checksums: this.#checksums };
    const journal = new CrashingJournal(await startJournal(this.#store, options), contentIds);
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
      clock,
      links: new Map(),
      asked: new Map(),
      history: [{ eventCount: 0, model: model.copy() }],
      eventCount: 0,
      readingCount: 0,
      lastTurn: undefined,
      failure: undefined,
    };
    engine.failed.catch((cause: unknown) => {
      life.failure = cause;
    });
    await engine.start();
    broker.checkRestored(await this.#readContents(life));
    return life;
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
      isContentNeeded: (contentId) => broker.isContentNeeded(contentId),
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
    deepStrictEqual([...journal.contentIds].sort(), [...contents.keys()].sort(), 'contents were not swept');
    return contents;
  }

  /** Waits until everything is durable and everybody has been told. */
  async #settleDown(life: Life): Promise<void> {
    for (let round = 0; !isQuiet(life); round++) {
      ok(round < PATIENCE, 'the engine has stopped answering');
      wakeLinks(life);
      await restOfTheLoop();
      throwFailure(life);
    }
    for (const link of life.links.values()) link.checkGivenBack();
    life.history = life.history.slice(-1);
  }

  /** Stops as users do; nothing is lost, and no content is left without a message. */
  async #end(life: Life): Promise<void> {
    await this.#settleDown(life);
    await life.engine.stop();
    throwFailure(life);
    deepStrictEqual(
      [...life.journal.contentIds].sort(),
      [...life.broker.rows.contents.keys()].sort(),
      'a content row was left behind',
    );
    life.broker.model.restart();
    await this.#begin(life.broker.model, life.clock.now(), life.journal.contentIds);
  }
}

type Attach = Extract<Command, { kind: `attach-${string}` | 'accept-session' }>;

function isAttach(command: Command): command is Attach {
  return command.kind.startsWith('attach-') || command.kind === 'accept-session';
}
