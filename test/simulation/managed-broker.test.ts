// Seeded runs of the bare broker in which somebody manages messages by hand and imports others between the commands of clients, and contents
// turn out to be unreadable. No model foretells them: every turn is held against the invariants, and after each crash everything durable is there again.

import { expect, it } from 'vitest';
import { Broker, type Turn } from '../../src/broker/broker.js';
import type { Command, Management } from '../../src/broker/contract/command.js';
import { ContentUnreadable } from '../../src/broker/contract/content-unreadable.js';
import type { Delivery } from '../../src/broker/contract/effect.js';
import type { InspectedEntity, MessageCondition } from '../../src/broker/contract/inspection.js';
import type { MessageAction, MessageSelection } from '../../src/broker/contract/management.js';
import { countingGuids } from '../support/broker-builders.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { drawConditions, Pace } from './conditions.js';
import { DurableRows } from './durable-rows.js';
import { Invariants } from './invariants.js';
import { MessageMaker } from './message-commands.js';
import { CONTENT_READER } from './message-content.js';
import { Random } from './random.js';
import type { Conditions } from './reference-state.js';
import { SelectorMaker } from './selectors.js';
import { check, checkSame } from './simulation-failure.js';
import { Workload } from './workload.js';

/** In a few of the thirty all happens that must. */
const SEEDS = IS_THOROUGH ? Array.from({ length: 30 }, (_, index) => index + 1) : [6, 9, 12, 19, 23, 27];

/** Each action on messages, and each reason for which one leaves a message alone. */
const MUST_HAPPEN: readonly string[] = [
  ...['delete', 'dead-letter', 'resubmit', 'move', 'activate', 'end-lock', 'end-session'],
  ...['activate in-use', 'delete message-not-found', 'dead-letter wrong-state', 'end-lock wrong-state'],
  ...['move duplicate', 'move not-allowed', 'move refused', 'resubmit entity-disabled'],
  ...['unreadable', 'unreadable removed', 'unreadable in a turn', 'move content-unreadable'],
  ...['import-messages', 'import-messages refused', 'import-messages again', 'import-messages states'],
];

it('messages managed by hand break no invariant', () => {
  const all: Managed = new Map();
  for (const seed of SEEDS) {
    try {
      for (const [what, count] of simulateManagement(seed, 600)) all.set(what, (all.get(what) ?? 0) + count);
    } catch (cause) {
      throw new Error(`seed ${seed} has failed`, { cause });
    }
  }
  expect(Object.fromEntries(all)).toMatchObject(
    Object.fromEntries(MUST_HAPPEN.map((what) => [what, expect.any(Number)])),
  );
}, 120_000);

const START = Date.UTC(2030, 0, 1);
const TURNS_BETWEEN_CRASHES = 60;
/** Contents become unreadable in every third run: they leave less to manage. */
const SEEDS_BETWEEN_FAULTS = 3;
const SUFFIXES = [
  '',
  '',
  '/$DeadLetterQueue',
  '/$DeadLetterQueue',
  '/$Transfer',
  '/$Transfer/$DeadLetterQueue',
];
const FILTERS = ["color = 'red'", 'quantity > 1', 'sys.DeliveryCount > 0', 'sys.SequenceNumber % 2 = 1'];
const STATES = ['active', 'active', 'scheduled', 'deferred'] as const;
const IMPORT_IDS = ['1', '2'].map((digit) => digit.repeat(64));
const CONDITIONS: readonly MessageCondition[] = ['active', 'locked', 'scheduled', 'deferred'];

/** What happened, such as `delete` with the number of messages, or `move quota-exceeded`. */
type Managed = Map<string, number>;

function simulateManagement(seed: number, turns: number): Managed {
  const run = new ManagedRun(seed);
  for (let turn = 0; turn < turns; turn++) run.step(turn);
  return run.managed;
}

type Reported = Pick<Delivery, 'contentId' | 'storeId' | 'removed'> & {
  readonly properties: { readonly sequenceNumber: number };
};

class ManagedRun {
  readonly managed: Managed = new Map();
  readonly #random: Random;
  /** Of its own, so that faults leave what is managed as it is. */
  readonly #faults: Random;
  readonly #hasFaults: boolean;
  /** Of its own, too. */
  readonly #imports: Random;
  readonly #hasImports: boolean;
  readonly #importMaker: MessageMaker;
  /** The last number that an import has taken from its source. */
  #sourceNumber = 0;
  readonly #conditions: Conditions;
  readonly #workload: Workload;
  readonly #nextGuid = countingGuids();
  #now = START;
  #rows = new DurableRows();
  #broker: Broker;
  #invariants: Invariants;
  /** Contents that no turn can read any more. */
  readonly #broken = new Set<number>();
  /** The rest of the last selection. */
  #rest: Management | undefined;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#faults = new Random(seed);
    this.#hasFaults = seed % SEEDS_BETWEEN_FAULTS === 0;
    this.#conditions = drawConditions(this.#random, { seed });
    this.#workload = new Workload(this.#random, this.#conditions, new SelectorMaker({ seed }));
    this.#imports = new Random(seed);
    this.#hasImports = seed % SEEDS_BETWEEN_FAULTS === 1;
    const { limits } = this.#conditions;
    this.#importMaker = new MessageMaker(this.#imports, new Pace(this.#imports), limits);
    this.#broker = this.#restored();
    this.#invariants = this.#newInvariants();
  }

  step(turn: number): void {
    this.#now = this.#workload.nextTime(this.#now, this.#broker.nextDeadline());
    const command = this.#workload.next(this.#now);
    const isEmptying = command.kind === 'purge' || command.kind === 'reset';
    this.#execute(isEmptying ? { kind: 'tick' } : command); // there is more to manage in stores that are not emptied
    if (this.#random.chance(0.4)) this.#manage();
    if (this.#hasImports && this.#imports.chance(0.1)) this.#import();
    if (this.#hasFaults && this.#faults.chance(0.1)) this.#breakContent();
    if (turn % TURNS_BETWEEN_CRASHES === TURNS_BETWEEN_CRASHES - 1) this.#crash();
  }

  #execute(command: Command): Turn {
    const done = this.#broker.execute(command, this.#now);
    const turn = { ...done, events: this.#rows.apply(done.events) };
    this.#invariants.afterTurn({ command, turn, now: this.#now, broker: this.#broker });
    check(this.#broker.nextDeadline() > this.#now, 'a turn has left something due');
    this.#workload.learn(command, turn);
    this.#reportRemoved(turn);
    return turn;
  }

  #manage(): void {
    const command = this.#rest ?? this.#randomManagement();
    this.#rest = undefined;
    if (command === undefined) return;
    const { result } = this.#execute(command);
    const name = command.kind === 'manage-messages' ? command.action.kind : command.kind;
    if (result.kind === 'failed') this.#note(`${name} refused`);
    else if (result.kind === 'session-ended' && result.wasHeld) this.#note(name);
    else if (result.kind === 'managed-messages') {
      this.#note(name, result.sequenceNumbers.length);
      for (const { code } of result.skipped) this.#note(`${name} ${code}`);
      if (command.kind === 'manage-messages' && result.rest !== undefined) {
        this.#rest = { ...command, selection: result.rest };
      }
    }
  }

  /** What a copy has brought is not brought again by the same command, which a copy that was cut off repeats. */
  #import(): void {
    const entities = this.#inspectEntities();
    if (entities.length === 0) return;
    const command = this.#randomImport(this.#imports.pick(entities).path);
    const { result } = this.#execute(command);
    if (result.kind !== 'imported') return this.#note('import-messages refused');
    this.#note('import-messages', result.sequenceNumbers.length);
    this.#note('import-messages states', command.sessionStates?.length);
    if (command.importId === undefined || command.isLast === true) return;
    const { result: again } = this.#execute(command);
    if (again.kind !== 'imported') return this.#note('import-messages refused'); // its entity may have gone with the time
    this.#note('import-messages again', again.skippedCount);
    checkSame(again.sequenceNumbers.length, 0, 'a message is imported twice');
    checkSame(again.skippedCount, command.messages.length, 'an import leaves out another number');
  }

  #randomImport(path: string): Extract<Management, { kind: 'import-messages' }> {
    const random = this.#imports;
    const entityPath = path + random.pick(SUFFIXES);
    const isDead = entityPath.endsWith('$DeadLetterQueue');
    const made = this.#importMaker.messages(this.#now, { needsSession: random.chance(0.5) });
    const messages = made.map((message) => {
      this.#sourceNumber += 1;
      // An entity may allow one delivery only, so what is alive has none behind it.
      const deliveryCount = isDead ? random.integer(3) : 0;
      const state = random.pick(STATES);
      return { message, sourceNumber: this.#sourceNumber, state, deliveryCount, details: undefined };
    });
    const sessionStates = random.chance(0.2) ? [{ sessionId: 'kept', state: new Uint8Array(9) }] : [];
    const importId = random.chance(0.7) ? random.pick(IMPORT_IDS) : undefined;
    return {
      kind: 'import-messages',
      entityPath,
      messages,
      sessionStates,
      importId,
      isLast: random.chance(0.1),
    };
  }

  /** The content of some message is gone: a reader finds out at once, or a turn some day. */
  #breakContent(): void {
    const entities = this.#inspectEntities();
    if (entities.length === 0) return;
    const { result } = this.#execute(
      inspection(this.#faults.pick(entities).path + this.#faults.pick(SUFFIXES)),
    );
    const found = result.kind === 'inspected-messages' ? result.messages : [];
    if (found.length === 0) return;
    const message = this.#faults.pick(found);
    this.#broken.add(message.contentId);
    if (this.#faults.chance(0.5)) return;
    this.#report(message);
    this.#note('unreadable');
    const kept = this.#rows.findMessage(message.storeId, message.properties.sequenceNumber);
    check(kept?.contentId !== message.contentId, 'a message still has an unreadable content');
  }

  /** Some messages that receive-and-delete has removed cannot be read afterwards. */
  #reportRemoved({ effects }: Turn): void {
    for (const effect of effects) {
      if (effect.kind !== 'deliver' || effect.delivery.removed === undefined) continue;
      if (!this.#hasFaults || !this.#faults.chance(0.2)) continue;
      this.#report(effect.delivery);
      this.#note('unreadable removed');
    }
  }

  #report({ contentId, storeId, properties, removed }: Reported): void {
    const { sequenceNumber } = properties;
    const seen = `content ${contentId} is missing`;
    this.#execute({ kind: 'content-unreadable', contentId, storeId, sequenceNumber, seen, removed });
  }

  #note(what: string, count = 1): void {
    if (count === 0) return;
    this.managed.set(what, (this.managed.get(what) ?? 0) + count);
  }

  #randomManagement(): Management | undefined {
    const entities = this.#inspectEntities();
    if (entities.length === 0) return undefined;
    const random = this.#random;
    const path = random.pick(entities).path;
    const entityPath = path + random.pick(SUFFIXES);
    if (random.chance(0.15)) {
      const sessionId = random.pick(this.#sessionIdsIn(path));
      return { kind: 'end-session', entityPath: path, sessionId };
    }
    const destination = random.pick(entities).path;
    const action = random.pickWeighted<MessageAction>([
      [{ kind: 'delete' }, 1],
      [{ kind: 'dead-letter', reason: 'by hand' }, 2],
      [{ kind: 'resubmit' }, 4],
      [{ kind: 'move', destination }, 3],
      [{ kind: 'activate' }, 2],
      [{ kind: 'end-lock' }, 2],
    ]);
    return { kind: 'manage-messages', entityPath, action, selection: this.#selectionIn(entityPath) };
  }

  #selectionIn(entityPath: string): MessageSelection {
    const random = this.#random;
    if (random.chance(0.4)) {
      const filter = random.chance(0.5) ? random.pick(FILTERS) : undefined;
      const conditions = random.chance(0.1) ? [random.pick(CONDITIONS)] : undefined;
      return { kind: 'matching', filter, conditions, fromSequenceNumber: 0 };
    }
    const { result } = this.#execute(inspection(entityPath));
    const found = result.kind === 'inspected-messages' ? result.messages : [];
    const numbers = found.map(({ properties }) => properties.sequenceNumber);
    const chosen = numbers.filter(() => random.chance(0.5));
    return { kind: 'numbers', sequenceNumbers: [...chosen, random.integer(50)] };
  }

  #sessionIdsIn(entityPath: string): readonly string[] {
    const page = { fromSessionId: '', maxCount: 250 };
    const { result } = this.#execute({ kind: 'inspect-sessions', entityPath, ...page });
    const found = result.kind === 'inspected-sessions' ? result.sessions : [];
    return ['unknown', ...found.map(({ sessionId }) => sessionId)];
  }

  #crash(): void {
    this.#checkAll();
    this.#rows = this.#rows.copy();
    this.#broker = this.#restored();
    this.#invariants = this.#newInvariants();
    this.#rest = undefined;
    this.#workload.restart();
    this.#execute({ kind: 'tick' }); // locks are gone, so more may be due
    this.#checkAll();
  }

  #checkAll(): void {
    this.#invariants.checkRows();
    this.#invariants.checkCounts({ broker: this.#broker, now: this.#now });
    this.#invariants.checkInspection({ broker: this.#broker, now: this.#now });
    this.#checkSizes();
  }

  #restored(): Broker {
    const broker = new Broker({
      ...this.#conditions,
      nextGuid: this.#nextGuid,
      messageReader: CONTENT_READER,
    });
    broker.readContentsFrom((contentId) => {
      if (this.#broken.has(contentId)) {
        this.#note('unreadable in a turn');
        throw new ContentUnreadable(contentId, `content ${contentId} is missing`);
      }
      const content = this.#rows.contents.get(contentId);
      check(content !== undefined, 'a content is asked for that is not there');
      return content;
    });
    broker.restore(this.#rows.stored());
    return broker;
  }

  #newInvariants(): Invariants {
    return new Invariants(this.#rows, this.#conditions.behaviour.releaseLocksOnDetach);
  }

  /** Copies of a topic may share a content, so only the sizes of queues and subscriptions are sums. */
  #checkSizes(): void {
    const sizes = new Map(this.#inspectEntities().map(({ path, sizeBytes }) => [path, sizeBytes]));
    for (const { path, type, storeId } of this.#rows.entities.all()) {
      if (type === 'topic') continue;
      let bytes = 0;
      for (const id of this.#rows.entities.storesOf(storeId)) {
        for (const { message } of this.#rows.messagesOf(id)) bytes += message.sizeBytes;
      }
      for (const { storeId: id, state } of this.#rows.sessionStates())
        if (id === storeId) bytes += state.sizeBytes;
      checkSame(sizes.get(path), bytes, `the size of ${path} is wrong`);
    }
  }

  #inspectEntities(): readonly InspectedEntity[] {
    const { result } = this.#execute({ kind: 'inspect-namespace' });
    check(result.kind === 'inspected-entities', 'the namespace cannot be inspected');
    return result.entities.flatMap<InspectedEntity>((entity) =>
      entity.kind === 'topic' ? [entity, ...entity.subscriptions] : [entity],
    );
  }
}

function inspection(entityPath: string): Command {
  return { kind: 'inspect-messages', entityPath, fromSequenceNumber: 0, maxCount: 20 };
}
