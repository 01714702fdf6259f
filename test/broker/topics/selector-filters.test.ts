// Subscriptions whose filter is the selector of a JMS consumer.

import { expect, it } from 'vitest';
import { failureOf } from '../../support/broker-builders.js';
import {
  numbersIn,
  pathOf,
  publish,
  ruleWith,
  subscribe,
  trySubscribe,
  withTopic,
} from '../../support/topic-builders.js';

const selecting = (expression: string) => ruleWith('$Default', { kind: 'selector', expression });

it('a subscription gets what its selector takes, and nothing else is ever there [JMS-18, JMS-81]', () => {
  const bus = withTopic();
  subscribe(bus, 'one', {}, [selecting("color BETWEEN 1 AND 2 OR color = 'red'")]);
  publish(bus, { user: { color: 'red' } });
  publish(bus, { user: { Color: 'red' } });
  publish(bus, { user: { color: 2 } });
  publish(bus, {});
  expect(numbersIn(bus, pathOf('one'))).toHaveLength(2);
});

it('a selector that divides by zero takes nothing, and makes no dead letter [JMS-83]', () => {
  const bus = withTopic();
  subscribe(bus, 'one', { deadLetteringOnFilterEvaluationExceptions: true }, [selecting('1 / color = 1')]);
  publish(bus, { user: { color: 0 } });
  publish(bus, { user: { color: 1 } });
  expect(numbersIn(bus, pathOf('one'))).toHaveLength(1);
  expect(numbersIn(bus, `${pathOf('one')}/$DeadLetterQueue`)).toEqual([]);
});

it('a subscription with a selector that cannot be parsed is refused [JMS-85]', () => {
  const refused = trySubscribe(withTopic(), 'one', {}, [selecting('color =')]);
  expect(failureOf(refused)?.message).toContain('The selector is invalid at line 1, column 8: found the end');
});
