// Caches the results of filters for one message. Equal filters share one object, so each is evaluated once.

import type { CompiledFilter } from '../rules/compile-filter.js';
import type { MessageView } from '../rules/message-view.js';
import { RuleEvaluationError } from '../rules/rule-value.js';

export class FilterResults {
  readonly #message: MessageView;
  readonly #results = new Map<CompiledFilter, boolean | RuleEvaluationError>();

  constructor(message: MessageView) {
    this.#message = message;
  }

  /** Throws RuleEvaluationError. */
  matches(filter: CompiledFilter): boolean {
    if (!filter.isRepeatable) return filter.matches(this.#message); // SQL-19
    const result = this.#results.get(filter) ?? this.#evaluate(filter);
    if (typeof result === 'boolean') return result;
    throw result;
  }

  #evaluate(filter: CompiledFilter): boolean | RuleEvaluationError {
    const result = resultOf(filter, this.#message);
    this.#results.set(filter, result);
    return result;
  }
}

function resultOf(filter: CompiledFilter, message: MessageView): boolean | RuleEvaluationError {
  try {
    return filter.matches(message);
  } catch (error) {
    if (error instanceof RuleEvaluationError) return error;
    throw error;
  }
}
