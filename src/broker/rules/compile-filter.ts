// Compiles filters, SQL and correlation, into functions from message to match or no match (SQL, COR).

import type {
  CorrelationFilter,
  Filter,
  ParameterValue,
  SqlExpression,
} from '../contract/rule-description.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { ExpressionSource } from '../expressions/expression-source.js';
import type { Truth } from '../expressions/truth.js';
import { compileSelector } from '../selectors/compile-selector.js';
import { compileCondition, type Test } from './compile-condition.js';
import type { RuleEffort, RuleEnvironment } from './compile-value.js';
import { parseCondition } from './condition-parser.js';
import type { MessageView } from './message-view.js';
import { readParameter } from './parameter-value.js';
import type { SystemProperty } from './property-name.js';
import { RuleEvaluationError, valueText } from './rule-value.js';
import { ViewedBySelector } from './selectable-message.js';
import { areEqual } from './value-operators.js';

export class CompiledFilter {
  /** Whether the filter reads application properties. They are decoded only if one does. */
  readonly usesUserProperties: boolean;
  /** Whether the result is the same each time for a message; false for filters with `newid()`. */
  readonly isRepeatable: boolean;
  readonly #test: Test;
  /** The last message of `matchesOnce` and its result. A map for each message would cost as much as the filters. */
  #lastMark: object | undefined;
  #lastResult: boolean | RuleEvaluationError = false;

  constructor(test: Test, options: { usesUserProperties: boolean; isRepeatable: boolean }) {
    this.#test = test;
    this.usesUserProperties = options.usesUserProperties;
    this.isRepeatable = options.isRepeatable;
  }

  /** Returns undefined for unknown. Throws RuleEvaluationError. */
  evaluate(message: MessageView): Truth {
    return this.#test(message);
  }

  /** Throws RuleEvaluationError. */
  matches(message: MessageView): boolean {
    return this.#test(message) === true; // SQL-09
  }

  /** Like `matches`, but evaluates the filter once for all calls in a row with one mark, if it is repeatable (SQL-19). */
  matchesOnce(message: MessageView, mark: object): boolean {
    if (!this.isRepeatable) return this.matches(message);
    if (mark !== this.#lastMark) {
      this.#lastResult = this.#resultFor(message);
      this.#lastMark = mark;
    }
    if (typeof this.#lastResult === 'boolean') return this.#lastResult;
    throw this.#lastResult;
  }

  #resultFor(message: MessageView): boolean | RuleEvaluationError {
    try {
      return this.matches(message);
    } catch (error) {
      if (error instanceof RuleEvaluationError) return error;
      throw error;
    }
  }
}

/** Throws argument, for SQL with line and column (SQL-23). */
export function compileFilter(filter: Filter, environment: RuleEnvironment): CompiledFilter {
  switch (filter.kind) {
    case 'true': // SQL-24
    case 'false': {
      const options = { usesUserProperties: false, isRepeatable: true };
      return new CompiledFilter(() => filter.kind === 'true', options);
    }
    case 'sql':
      return compileSql(filter, environment);
    case 'selector': {
      const { test, readsProperties } = compileSelector(filter.expression, environment.effort);
      const evaluate = (message: MessageView) => test(new ViewedBySelector(message));
      return new CompiledFilter(evaluate, { usesUserProperties: readsProperties, isRepeatable: true });
    }
    case 'correlation': {
      const usesUserProperties = Object.keys(filter.properties ?? {}).length > 0;
      const test = compileCorrelation(filter, environment);
      return new CompiledFilter(test, { usesUserProperties, isRepeatable: true });
    }
    default:
      return filter satisfies never;
  }
}

function compileSql(
  { expression, parameters }: SqlExpression,
  { nextGuid, effort }: RuleEnvironment,
): CompiledFilter {
  const source = new ExpressionSource('filter', expression);
  const uses = { userProperties: false, newId: false };
  const condition = parseCondition(source, parameters ?? {});
  const test = compileCondition(condition, { source, nextGuid, uses, ...(effort && { effort }) });
  return new CompiledFilter(counted(test, expression.length, effort), {
    usesUserProperties: uses.userProperties,
    isRepeatable: !uses.newId,
  });
}

/** Counts the length of the filter with each evaluation. */
function counted(test: Test, characters: number, effort: RuleEffort | undefined): Test {
  if (effort === undefined) return test;
  return (message) => {
    effort.characters += characters;
    return test(message);
  };
}

/** A condition of a correlation filter costs as much as so many characters of an expression. */
const CORRELATION_CHARACTERS = 16;

/** The system properties that a correlation filter names. */
export const FIELDS = {
  correlationId: 'CorrelationId',
  messageId: 'MessageId',
  to: 'To',
  replyTo: 'ReplyTo',
  subject: 'Label',
  sessionId: 'SessionId',
  replyToSessionId: 'ReplyToSessionId',
  contentType: 'ContentType',
} as const satisfies Readonly<Record<string, SystemProperty>>;

/** Throws argument when the filter names nothing, or a value is not of its type. */
function compileCorrelation(filter: CorrelationFilter, { effort }: RuleEnvironment): Test {
  const tests = [...fieldTests(filter), ...Object.entries(filter.properties ?? {}).map(propertyTest)];
  if (tests.length === 0) {
    throw new ServiceBusError(
      'argument',
      'A correlation filter names at least one property the message has to have; this one names none.',
      { property: 'filter' },
    );
  }
  const characters = CORRELATION_CHARACTERS * tests.length;
  return counted((message) => tests.every((test) => test(message)), characters, effort); // COR-01
}

function fieldTests(filter: CorrelationFilter): Test[] {
  return Object.entries(FIELDS).flatMap(([field, property]) => {
    const expected = filter[field as keyof typeof FIELDS];
    return expected === undefined ? [] : [fieldTest(property, expected)];
  });
}

/** COR-04: the field is compared as text. COR-03: null has no text. */
function fieldTest(property: SystemProperty, expected: string): Test {
  return (message) => valueText(message.system(property)) === expected;
}

/** COR-02: values are equal as in SQL, so values whose types do not fit differ. COR-03: a missing value or null equals nothing. */
function propertyTest([name, value]: [string, ParameterValue]): Test {
  const expected = readParameter(name, value);
  return (message) => areEqual(message.user(name), expected) === true;
}
