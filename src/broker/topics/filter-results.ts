// The results of filters for one message. Equal filters share one object, which keeps its last result: each is evaluated once.

import type { CompiledFilter } from '../rules/compile-filter.js';
import type { MessageView } from '../rules/message-view.js';

export class FilterResults {
  readonly #message: MessageView;
  /** Stands for the message, which filters would keep in memory. */
  readonly #mark = {};

  constructor(message: MessageView) {
    this.#message = message;
  }

  /** Throws RuleEvaluationError. */
  matches(filter: CompiledFilter): boolean {
    return filter.matchesOnce(this.#message, this.#mark);
  }
}
