// Looks for messages that selectors take: opens each and evaluates the selector, as far as one dispatch may go.

import type { CompiledFilter } from '../rules/compile-filter.js';
import type { RuleCompiler } from '../rules/rule-compiler.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import { viewOfStored } from '../store/stored-view.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** The characters that the selectors of one dispatch look through, at most, which takes about 10 ms. */
const MAX_CHARACTERS = 300_000;
/** The cost of an examined message for the turn, in copies: a full turn opens 1,000. */
const EXAMINED_COST = 2;

export type ExaminerParts = {
  readonly loadContent: (
    store: MessageStore,
    message: StoredMessage,
    turn: TurnInProgress,
  ) => Uint8Array | undefined;
  readonly ruleCompiler: Pick<RuleCompiler, 'effort'>;
};

/** The examinations of one dispatch. */
export class Examiner {
  readonly #store: MessageStore;
  readonly #parts: ExaminerParts;
  readonly #turn: TurnInProgress;
  readonly #lastCharacter: number;
  /** The messages that were opened. */
  count = 0;

  constructor(store: MessageStore, parts: ExaminerParts, turn: TurnInProgress) {
    this.#store = store;
    this.#parts = parts;
    this.#turn = turn;
    this.#lastCharacter = parts.ruleCompiler.effort.characters + MAX_CHARACTERS;
  }

  /** Undefined: the dispatch has no time to find out. An expired message is taken, so that it is moved away. */
  takes(filter: CompiledFilter | undefined, message: StoredMessage): boolean | undefined {
    if (filter === undefined) return true;
    if (message.isAvailable && this.#store.isExpired(message, this.#turn.now)) return true;
    if (this.#turn.isShareUsed || this.#parts.ruleCompiler.effort.characters > this.#lastCharacter)
      return undefined;
    this.count += 1;
    this.#turn.changed(EXAMINED_COST);
    const content = this.#parts.loadContent(this.#store, message, this.#turn);
    if (content === undefined) return false;
    const reader = this.#turn.messageReader;
    return filter.matches(viewOfStored(message, () => reader.read(content), reader));
  }
}
