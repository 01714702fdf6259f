// Walks through a selection of messages, a bounded number in each turn, and gathers what became of them.

import type { MessageCondition } from '../contract/inspection.js';
import type { ManagedMessages, MessageSelection, SkippedMessage } from '../contract/management.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { type CompiledFilter, compileFilter } from '../rules/compile-filter.js';
import { RuleEvaluationError } from '../rules/rule-value.js';
import type { ReadContent } from '../store/message-reader.js';
import { PARTITION_COUNT, partitionIdOf } from '../store/partition.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import { viewOfStored } from '../store/stored-view.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { messageConditionOf } from './inspected-store.js';

/** The most messages that one turn examines. */
const MAX_EXAMINED = 1000;
/** The content bytes after which a turn examines no further message. */
const MAX_CONTENT_BYTES = 4 * 1024 * 1024;

/** Applies the action. `stopped`: neither this message nor a later one can be treated now. */
export type Visit = (message: StoredMessage, open: () => ReadContent) => 'done' | 'stopped' | SkippedMessage;

type Matching = Extract<MessageSelection, { readonly kind: 'matching' }>;

/** Throws argument for a filter that cannot be compiled. */
export function selectionFilter(
  selection: MessageSelection,
  { nextGuid }: BrokerParts,
): CompiledFilter | undefined {
  if (selection.kind !== 'matching' || selection.filter === undefined) return undefined;
  return compileFilter({ kind: 'sql', expression: selection.filter }, { nextGuid });
}

/** Throws argument if the action does not apply to a condition that the selection names. */
export function checkConditions(
  selection: MessageSelection,
  allowed: readonly MessageCondition[],
  action: string,
): void {
  if (selection.kind !== 'matching') return;
  const wrong = selection.conditions?.find((condition) => !allowed.includes(condition));
  if (wrong === undefined) return;
  const text = `The action '${action}' is for messages that are ${allowed.join(' or ')}, not ${wrong}.`;
  throw new ServiceBusError('argument', text, { property: 'state', value: wrong });
}

export class SelectionWork {
  readonly #store: MessageStore;
  readonly #parts: BrokerParts;
  readonly #turn: TurnInProgress;
  readonly #done: number[] = [];
  readonly #skipped: SkippedMessage[] = [];
  #examinedCount = 0;
  #contentBytes = 0;
  #opened: { readonly contentId: number; readonly content: ReadContent } | undefined;

  constructor(store: MessageStore, parts: BrokerParts, turn: TurnInProgress) {
    this.#store = store;
    this.#parts = parts;
    this.#turn = turn;
  }

  run(selection: MessageSelection, filter: CompiledFilter | undefined, visit: Visit): ManagedMessages {
    const rest =
      selection.kind === 'numbers'
        ? this.#byNumber(selection.sequenceNumbers, visit)
        : this.#matching(selection, filter, visit);
    return { sequenceNumbers: this.#done, skipped: this.#skipped, rest };
  }

  #byNumber(sequenceNumbers: readonly number[], visit: Visit): MessageSelection | undefined {
    const numbers = [...new Set(sequenceNumbers)];
    for (const [index, sequenceNumber] of numbers.entries()) {
      const rest = { kind: 'numbers', sequenceNumbers: numbers.slice(index) } as const;
      if (this.#isOver) return rest;
      const message = this.#store.log.find(sequenceNumber);
      if (message === undefined) this.#skipped.push(notFound(this.#store, sequenceNumber));
      else if (this.#try(message, () => this.#visit(message, visit)) === 'stopped') return rest;
      this.#examinedCount += 1;
    }
    return undefined;
  }

  #matching(
    selection: Matching,
    filter: CompiledFilter | undefined,
    visit: Visit,
  ): MessageSelection | undefined {
    const {
      before = upcomingNumbers(this.#store),
      conditions,
      enqueuedBefore,
      fromSequenceNumber,
    } = selection;
    for (const message of messagesFrom(this.#store, fromSequenceNumber)) {
      const rest = { ...selection, before, fromSequenceNumber: message.sequenceNumber };
      if (this.#isOver) return rest;
      this.#examinedCount += 1;
      if (isLater(message, before)) continue;
      if (enqueuedBefore !== undefined && message.enqueuedTime >= enqueuedBefore) continue;
      if (conditions?.includes(messageConditionOf(message)) === false) continue;
      const outcome = this.#try(message, () =>
        this.#matches(message, filter) ? this.#visit(message, visit, { isGiven: false }) : undefined,
      );
      if (outcome === 'stopped') return rest;
    }
    return undefined;
  }

  /** A message whose content cannot be read is skipped; the turn makes a dead letter of it. */
  #try(message: StoredMessage, treat: () => 'stopped' | undefined): 'stopped' | undefined {
    try {
      return treat();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#skipped.push(unreadable(message));
      return undefined;
    }
  }

  /** A message that was not named, and to which the action does not apply, is none of those that were meant. */
  #visit(message: StoredMessage, visit: Visit, { isGiven = true } = {}): 'stopped' | undefined {
    const { sequenceNumber } = message;
    const outcome = visit(message, () => this.#open(message));
    if (outcome === 'stopped') return outcome;
    if (outcome === 'done') this.#done.push(sequenceNumber);
    else if (isGiven || outcome.code !== 'wrong-state') this.#skipped.push(outcome);
    return undefined;
  }

  #matches(message: StoredMessage, filter: CompiledFilter | undefined): boolean {
    if (filter === undefined) return true;
    const view = viewOfStored(message, () => this.#open(message), this.#parts.messageReader);
    try {
      return filter.matches(view);
    } catch (error) {
      if (!(error instanceof RuleEvaluationError)) throw error;
      const { sequenceNumber } = message;
      const text = `The filter fails for message ${sequenceNumber}: ${error.message}.`;
      this.#skipped.push({ sequenceNumber, code: 'filter-failed', text });
      return false;
    }
  }

  /** The filter and the action may both ask for it. */
  #open(message: StoredMessage): ReadContent {
    const { contentId, sizeBytes } = message;
    if (this.#opened?.contentId === contentId) return this.#opened.content;
    this.#contentBytes += sizeBytes;
    const bytes = this.#parts.loadContent(this.#store, message, this.#turn);
    if (bytes === undefined) throw new Unreadable();
    const content = this.#parts.messageReader.read(bytes);
    this.#opened = { contentId, content };
    return content;
  }

  get #isOver(): boolean {
    if (this.#turn.isShareUsed || this.#contentBytes >= MAX_CONTENT_BYTES) return true;
    return this.#examinedCount >= MAX_EXAMINED;
  }
}

/** Thrown within a visit, before it changes anything. */
class Unreadable extends Error {}

export function unreadable({ sequenceNumber }: StoredMessage): SkippedMessage {
  const text = `The content of message ${sequenceNumber} cannot be read; it is a dead letter with an empty body now.`;
  return { sequenceNumber, code: 'content-unreadable', text };
}

function notFound({ path }: MessageStore, sequenceNumber: number): SkippedMessage {
  const text = `'${path}' has no message ${sequenceNumber}.`;
  return { sequenceNumber, code: 'message-not-found', text };
}

/** All stores of a queue take their numbers from it. */
function upcomingNumbers({ queue }: MessageStore): readonly number[] {
  const partitionCount = queue.description.enablePartitioning ? PARTITION_COUNT : 1;
  return Array.from({ length: partitionCount }, (_, partitionId) =>
    queue.sequenceNumbers.upcoming(partitionId),
  );
}

/** Whether the message got its number after the work had begun. */
function isLater({ sequenceNumber }: StoredMessage, before: readonly number[]): boolean {
  const partitionId = before.length === 1 ? 0 : partitionIdOf(sequenceNumber);
  return sequenceNumber >= (before[partitionId] ?? 0);
}

/** Transfers wait in the order of their destinations, and a turn goes on by number where the last one stopped. */
function messagesFrom({ log, kind }: MessageStore, sequenceNumber: number): Iterable<StoredMessage> {
  if (kind !== 'transfer') return log.from(sequenceNumber);
  return [...log.from(sequenceNumber)].sort((a, b) => a.sequenceNumber - b.sequenceNumber);
}
