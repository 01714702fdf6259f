// Applies one rule to a message: nothing, a copy, or a copy for the dead-letter queue, because the rule has failed (TOP-09).

import type { Limits } from '../contract/limits.js';
import { bytesOfChanges, type PropertyChange, type SystemChanges } from '../contract/message-properties.js';
import { reasonOf } from '../queue/outcomes.js';
import type { MessageView } from '../rules/message-view.js';
import { RuleEvaluationError } from '../rules/rule-value.js';
import type { MessageReader } from '../store/message-reader.js';
import { EditedCopy } from '../store/rule-message.js';
import type { FilterResults } from './filter-results.js';
import type { MadeCopy, SubscriptionRule } from './topic.js';

/** The result of a rule without an action. */
export const UNCHANGED: MadeCopy = {};
const RULE_NAME = 'RuleName';

/** Returns undefined when the rule does not match. */
export function applyRule(
  { record, compiled }: SubscriptionRule,
  arrived: MessageView,
  results: FilterResults,
  { messageReader, limits }: { readonly messageReader: MessageReader; readonly limits: Limits },
): MadeCopy | undefined {
  try {
    if (!results.matches(compiled.filter)) return undefined;
  } catch (error) {
    return failed(error, 'FilterException', record.description.name);
  }
  const { action } = compiled;
  if (action === undefined) return UNCHANGED;
  const rule = record.description.name;
  const copy = new EditedCopy(arrived, messageReader); // TOP-07
  try {
    action.apply(copy);
  } catch (error) {
    return failed(error, 'RuleActionException', rule);
  }
  const { systemChanges } = copy;
  const ruleName = { name: RULE_NAME, value: rule }; // TOP-04
  const propertyChanges = [...copy.propertyChanges, ruleName];
  const problem = problemOf(propertyChanges, systemChanges, limits);
  if (problem !== undefined) return failed(new RuleEvaluationError(problem), 'RuleActionException', rule);
  return { propertyChanges, systemChanges };
}

function failed(error: unknown, kind: string, ruleName: string): MadeCopy {
  if (!(error instanceof RuleEvaluationError)) throw error;
  return {
    isDead: true,
    propertyChanges: reasonOf(kind, `Rule '${ruleName}': ${error.message}`),
  };
}

/** MSG-07, MSG-08: an action cannot make a message that could not be sent. */
function problemOf(
  changes: readonly PropertyChange[],
  { messageId, sessionId, replyToSessionId }: SystemChanges = {},
  { maxHeadBytes, maxIdLength }: Limits,
): string | undefined {
  const bytes = bytesOfChanges(changes);
  if (bytes > maxHeadBytes) {
    return `The properties that the action sets take ${bytes} bytes; the limit is ${maxHeadBytes}.`;
  }
  for (const [field, id] of Object.entries({ messageId, sessionId, replyToSessionId })) {
    const length = id?.length ?? 0;
    if (length > maxIdLength)
      return `The ${field} that the action sets has ${length} characters; the limit is ${maxIdLength}.`;
  }
  return undefined;
}
