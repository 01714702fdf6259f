// The faults of an emulator. Finds the fault that hits an operation, and counts how often each has happened.

import type { MessageView } from '../broker/rules/message-view.js';
import { type CheckedFault, checkFault } from './check-fault.js';
import type { AddedFault, EmulatorFaults } from './emulator-faults.js';
import { FaultError, type FaultOperation, type FiredFault } from './fault.js';
import { type FaultPreset, type PresetOptions, presetNamed } from './fault-presets.js';
import { PropertyFaults } from './property-faults.js';
import { seededRandom } from './seeded-random.js';

export type FaultSubject = {
  readonly operation: FaultOperation;
  /** The path of its entity; empty for an operation of the whole namespace. */
  readonly path: string;
  readonly protocol: 'amqp' | 'http';
  /** The messages of the operation; undefined if they are not known. */
  readonly messages?: (() => readonly MessageView[]) | undefined;
};

/** The ways in which a preset can end open connections or links. */
export type ConnectionActs = {
  resetAll(): void;
  detachAll(): void;
};

type FaultsOptions = {
  /** 32 hexadecimal digits. */
  readonly nextGuid: () => string;
  /** Real time in milliseconds. */
  readonly now?: () => number;
  /** Whether messages may carry faults. Default: no. */
  readonly readsProperty?: boolean;
  /** Returns a sentence if the entity of a fault does not exist. Default: always undefined. */
  readonly noteOn?: (entityPath: string) => Promise<string | undefined>;
};

type Entry = {
  readonly id: number;
  readonly fault: CheckedFault;
  readonly random: () => number;
  readonly endsAt: number;
  matchedCount: number;
  firedCount: number;
  /** The start of the second in which operations are counted, for `above`. */
  secondStart: number;
  secondCount: number;
};

const MAX_FAULTS = 1000;
const noNote = () => Promise.resolve(undefined);
const NO_CONNECTIONS: ConnectionActs = { resetAll: () => {}, detachAll: () => {} };

export class Faults implements EmulatorFaults {
  readonly #nextGuid: () => string;
  readonly #now: () => number;
  readonly #entries = new Map<number, Entry>();
  readonly #ofMessages: PropertyFaults | undefined;
  readonly #noteOn: (entityPath: string) => Promise<string | undefined>;
  #lastId = 0;
  #isEnded = false;
  connections: ConnectionActs = NO_CONNECTIONS;

  constructor({ nextGuid, now = Date.now, readsProperty = false, noteOn = noNote }: FaultsOptions) {
    this.#nextGuid = nextGuid;
    this.#now = now;
    this.#noteOn = noteOn;
    this.#ofMessages = readsProperty ? new PropertyFaults(nextGuid) : undefined;
  }

  /** Whether any fault can happen. If not, an operation costs nothing but this check. */
  get isArmed(): boolean {
    return this.#entries.size > 0 || this.#ofMessages !== undefined;
  }

  get needsSettled(): boolean {
    if (this.#ofMessages !== undefined) return true;
    for (const { fault } of this.#entries.values()) {
      if (fault.match !== undefined && SETTLEMENTS.some((each) => fault.operations.has(each))) return true;
    }
    return false;
  }

  add(given: unknown): AddedFault {
    const [added] = this.#addAll([given]);
    if (added === undefined) throw new Error('a fault was added but is not there');
    return added;
  }

  addPreset(name: string, options: PresetOptions = {}): readonly AddedFault[] {
    const preset: FaultPreset = presetNamed(name, options);
    const added = this.#addAll(preset.faults);
    if (preset.atOnce === 'reset') this.connections.resetAll();
    if (preset.atOnce === 'detach') this.connections.detachAll();
    return added;
  }

  list(): readonly AddedFault[] {
    return [...this.#entries.values()].map((entry) => this.#shownOf(entry));
  }

  remove(id: number): boolean {
    return this.#entries.delete(id);
  }

  clear(): number {
    const count = this.#entries.size;
    this.#entries.clear();
    return count;
  }

  /** Ends all faults when the emulator stops. Nothing can be added any more. */
  end(): void {
    this.#isEnded = true;
  }

  /** Returns the fault that hits the operation, and counts it; undefined if none does. */
  find(subject: FaultSubject): FiredFault | undefined {
    for (const entry of this.#entries.values()) {
      if (this.#fits(entry, subject) && this.#fires(entry)) return fired(entry);
    }
    return this.#findInMessages(subject);
  }

  #findInMessages({ operation, messages }: FaultSubject): FiredFault | undefined {
    if (this.#ofMessages === undefined) return undefined;
    for (const message of messages?.() ?? []) {
      const found = this.#ofMessages.find(operation, message);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #addAll(given: readonly unknown[]): readonly AddedFault[] {
    if (this.#isEnded) throw new FaultError('The emulator is no longer running, so no fault can be added.');
    const checked = given.map((each) => checkFault(each, this.#nextGuid));
    if (this.#entries.size + checked.length > MAX_FAULTS) {
      throw new FaultError(
        `There are already ${this.#entries.size} faults; ${MAX_FAULTS} is the limit. Remove some first.`,
      );
    }
    return checked.map((fault) => {
      const entry: Entry = {
        id: ++this.#lastId,
        fault,
        random: seededRandom(fault.seed),
        endsAt: this.#now() + fault.forMs,
        matchedCount: 0,
        firedCount: 0,
        secondStart: Number.NEGATIVE_INFINITY,
        secondCount: 0,
      };
      this.#entries.set(entry.id, entry);
      return this.#shownOf(entry);
    });
  }

  #shownOf(entry: Entry): AddedFault {
    const { entity } = entry.fault.given;
    const isActive = () =>
      this.#entries.has(entry.id) && entry.firedCount < entry.fault.times && entry.endsAt > this.#now();
    const note = () => (entity === undefined ? noNote() : this.#noteOn(entity));
    return {
      id: entry.id,
      fault: entry.fault.given,
      get matchedCount() {
        return entry.matchedCount;
      },
      get firedCount() {
        return entry.firedCount;
      },
      get isActive() {
        return isActive();
      },
      get note() {
        return note();
      },
      remove: () => this.remove(entry.id),
    };
  }

  #fits({ fault, endsAt }: Entry, { operation, path, protocol, messages }: FaultSubject): boolean {
    if (!fault.operations.has(operation) || endsAt <= this.#now()) return false;
    if (protocol === 'amqp' && fault.effect.kind === 'status') return false;
    if (fault.entity !== undefined && !fault.entity.test(path)) return false;
    const { match } = fault;
    if (match === undefined) return true;
    return messages?.().some((message) => matches(match, message)) === true;
  }

  /** Counts an operation that matches the fault. Returns whether the fault happens. */
  #fires(entry: Entry): boolean {
    const { fault } = entry;
    entry.matchedCount += 1;
    if (entry.firedCount >= fault.times || entry.matchedCount < fault.nth) return false;
    if (fault.above > 0 && this.#countInSecond(entry) <= fault.above) return false;
    if (fault.probability < 1 && entry.random() >= fault.probability) return false;
    entry.firedCount += 1;
    return true;
  }

  #countInSecond(entry: Entry): number {
    const now = this.#now();
    if (now - entry.secondStart >= 1000) {
      entry.secondStart = now;
      entry.secondCount = 0;
    }
    entry.secondCount += 1;
    return entry.secondCount;
  }
}

const SETTLEMENTS = ['complete', 'abandon', 'dead-letter', 'defer'] as const;

function matches(filter: NonNullable<CheckedFault['match']>, message: MessageView): boolean {
  try {
    return filter.matches(message);
  } catch {
    // As in a subscription, a filter that fails on a message does not match it.
    return false;
  }
}

function fired({ id, fault, random }: Entry): FiredFault {
  const { effect, delayMs, jitterMs } = fault;
  return { faultId: id, effect, delayMs: delayMs + Math.round(jitterMs === 0 ? 0 : random() * jitterMs) };
}
