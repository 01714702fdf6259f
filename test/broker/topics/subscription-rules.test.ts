// Rules that are changed: one in its place, or all of them at once.

import { describe, expect, it } from 'vitest';
import type { RuleRecord } from '../../../src/broker/contract/event.js';
import type { RuleDescription } from '../../../src/broker/contract/rule-description.js';
import { BrokerUnderTest, failureOf, START } from '../../support/broker-builders.js';
import {
  addRule,
  numbersIn,
  pathOf,
  publish,
  ruleNames,
  ruleWith,
  sqlRule,
  subscribe,
  TOPIC,
  withSubscriptions,
  withTopic,
} from '../../support/topic-builders.js';

const MINUTE = 60_000;
const RED = sqlRule('Reds', "color = 'red'");
const BLUE = sqlRule('blues', "color = 'blue'");
const CORRELATION = ruleWith('related', { kind: 'correlation', correlationId: '7' });

function updateRule(bus: BrokerUnderTest, rule: RuleDescription, entityPath = pathOf('one')) {
  return bus.execute({ kind: 'update-rule', entityPath, rule });
}

function setRules(bus: BrokerUnderTest, rules: readonly RuleDescription[], entityPath = pathOf('one')) {
  return bus.execute({ kind: 'set-rules', entityPath, rules });
}

function getRule(bus: BrokerUnderTest, name: string): RuleRecord {
  const { result } = bus.execute({ kind: 'get-rule', entityPath: pathOf('one'), name });
  if (result.kind !== 'rules' || result.rules[0] === undefined) throw new Error(`no rule ${name}`);
  return result.rules[0];
}

/** A subscription `one` with these rules alone, a minute old. */
function withRules(...rules: readonly RuleDescription[]): BrokerUnderTest {
  const bus = withTopic();
  subscribe(bus, 'one', {}, rules);
  bus.passTime(MINUTE);
  return bus;
}

describe('getting a rule', () => {
  it('finds it in any case, as it was made and when [TOP-11]', () => {
    const bus = withRules(RED, BLUE);
    expect(getRule(bus, 'REDS')).toEqual({ description: RED, createdTime: START });
  });

  it('that is not there is not found, by its path [TOP-11, ENT-04]', () => {
    const bus = withRules(RED);
    const { result } = bus.execute({ kind: 'get-rule', entityPath: pathOf('one'), name: 'none' });
    const error = { reason: 'entity-not-found', entityPath: `${pathOf('one')}/none` };
    expect(result).toMatchObject({ kind: 'failed', error });
  });

  it('and listing them does not count as access to the subscription [IDL-05]', () => {
    const bus = withTopic();
    subscribe(bus, 'one', { autoDeleteOnIdleMs: 5 * MINUTE });
    bus.passTime(5 * MINUTE - 1);
    expect(getRule(bus, '$Default').description.filter).toEqual({ kind: 'true' });
    expect(ruleNames(bus, 'one')).toEqual(['$Default']);
    bus.tickAfter(1);
    expect(bus.execute({ kind: 'find-entity', entityPath: pathOf('one') }).result.kind).toBe('failed');
  });
});

describe('updating a rule', () => {
  it('replaces the rule of its name, which keeps its name and counts as created anew [TOP-11]', () => {
    const bus = withRules(RED, BLUE);
    const turn = updateRule(bus, { ...BLUE, name: 'REDS' });
    expect(turn.result).toEqual({ kind: 'done' });
    expect(turn.events).toEqual([
      {
        kind: 'rule-put',
        storeId: expect.any(Number),
        rule: { description: { ...BLUE, name: 'Reds' }, createdTime: START + MINUTE },
      },
    ]);
    expect(ruleNames(bus, 'one')).toEqual(['blues', 'Reds']);
    const restarted = bus.restarted();
    expect(getRule(restarted, 'reds')).toEqual({
      description: { ...BLUE, name: 'Reds' },
      createdTime: START + MINUTE,
    });
    expect(ruleNames(restarted, 'one')).toEqual(['blues', 'Reds']);
  });

  it('holds for messages accepted afterwards [TOP-08]', () => {
    const bus = withRules(RED);
    publish(bus, { user: { color: 'red' } });
    updateRule(bus, { ...BLUE, name: 'reds' });
    publish(bus, { user: { color: 'red' } }, { user: { color: 'blue' } });
    expect(numbersIn(bus, pathOf('one'))).toEqual([1, 3]);
  });

  it('that is not there is not found, and creates none [TOP-11]', () => {
    const bus = withRules(RED);
    const turn = updateRule(bus, BLUE);
    expect(failureOf(turn)?.reason).toBe('entity-not-found');
    expect(turn.events).toEqual([]);
    expect(ruleNames(bus, 'one')).toEqual(['Reds']);
  });

  it('to what cannot be a rule is refused and changes nothing [TOP-12]', () => {
    const bus = withRules(RED);
    const turn = updateRule(bus, sqlRule('Reds', 'color ='));
    expect(failureOf(turn)?.reason).toBe('argument');
    expect(turn.events).toEqual([]);
    expect(getRule(bus, 'Reds').description).toEqual(RED);
  });

  it('counts towards the limit: a full set may be changed, but not into another kind [LIM-10, LIM-11]', () => {
    const bus = withTopic({}, { limits: { maxSqlFiltersPerTopic: 1, maxCorrelationFiltersPerTopic: 0 } });
    subscribe(bus, 'one', {}, [RED]);
    expect(updateRule(bus, { ...BLUE, name: 'Reds' }).result.kind).toBe('done');
    const turn = updateRule(bus, { ...CORRELATION, name: 'Reds' });
    expect(failureOf(turn)?.message).toBe(
      "With this topic 'events' would have 1 correlation filters; the limit is 0.",
    );
  });
});

describe('setting rules', () => {
  it('puts exactly these in force: some are added, some removed and others changed [TOP-11]', () => {
    const bus = withRules(RED, BLUE);
    const green = sqlRule('greens', "color = 'green'");
    const { events, result } = setRules(bus, [{ ...RED, name: 'BLUES' }, green]);
    expect(result).toEqual({ kind: 'done' });
    const storeId = expect.any(Number);
    const changed = { description: { ...RED, name: 'blues' }, createdTime: START + MINUTE };
    expect(events).toEqual([
      { kind: 'rule-removed', storeId, name: 'Reds' },
      { kind: 'rule-put', storeId, rule: changed },
      { kind: 'rule-put', storeId, rule: { description: green, createdTime: START + MINUTE } },
    ]);
    expect(ruleNames(bus, 'one')).toEqual(['blues', 'greens']);
    expect(ruleNames(bus.restarted(), 'one')).toEqual(['blues', 'greens']);
  });

  it('that are there as given does nothing: they keep their age, whatever order their parts come in [TOP-11]', () => {
    const filter = { kind: 'correlation', subject: 'a', properties: { x: '1', y: '2' } } as const;
    const bus = withRules(RED, ruleWith('two', filter));
    const turned = { properties: { y: '2', x: '1' }, subject: 'a', kind: 'correlation' } as const;
    expect(setRules(bus, [ruleWith('TWO', turned), { ...RED, name: 'reds' }])).toEqual({
      result: { kind: 'done' },
      events: [],
      effects: [],
    });
    expect(getRule(bus, 'Reds')).toEqual({ description: RED, createdTime: START });
    const other = ruleWith('two', { ...filter, properties: { x: '1', y: 'another' } });
    expect(setRules(bus, [other, RED]).events).toHaveLength(1);
  });

  it('is refused as a whole for one invalid rule, and nothing is changed [TOP-11, TOP-12]', () => {
    const bus = withRules(RED);
    const wrong: readonly (readonly [string, readonly RuleDescription[]])[] = [
      ['argument', [BLUE, sqlRule('wrong', '=')]],
      ['argument', [BLUE, { ...RED, name: 'x'.repeat(51) }]],
      ['entity-already-exists', [BLUE, RED, { ...RED, name: 'REDS' }]],
    ];
    for (const [reason, rules] of wrong) {
      const turn = setRules(bus, rules);
      expect(failureOf(turn)?.reason).toBe(reason);
      expect(turn.events).toEqual([]);
    }
    expect(ruleNames(bus, 'one')).toEqual(['Reds']);
    publish(bus, { user: { color: 'blue' } }, { user: { color: 'red' } });
    expect(numbersIn(bus, pathOf('one'))).toEqual([2]);
  });

  it('to none leaves a subscription that gets nothing [TOP-05]', () => {
    const bus = withSubscriptions('one');
    setRules(bus, []);
    publish(bus, {});
    expect(ruleNames(bus, 'one')).toEqual([]);
    expect(bus.peek(pathOf('one'))).toEqual([]);
  });

  it('counts the rules there will be, with those of other subscriptions [LIM-10, LIM-11]', () => {
    const bus = withTopic({}, { limits: { maxSqlFiltersPerTopic: 3, maxCorrelationFiltersPerTopic: 1 } });
    subscribe(bus, 'one', {}, [RED, BLUE]);
    subscribe(bus, 'two');
    expect(setRules(bus, [sqlRule('a', '1 = 1'), sqlRule('b', '1 = 1')]).result.kind).toBe('done');
    const turn = setRules(bus, [RED, BLUE, sqlRule('c', '1 = 1')]);
    expect(failureOf(turn)).toEqual({
      reason: 'quota-exceeded',
      message: "With this topic 'events' would have 4 SQL filters; the limit is 3.",
    });
    expect(ruleNames(bus, 'one')).toEqual(['a', 'b']);
    expect(setRules(bus, [CORRELATION]).result.kind).toBe('done');
    expect(failureOf(addRule(bus, 'two', CORRELATION))?.reason).toBe('quota-exceeded');
  });
});

describe('a limit on filters that was lowered meanwhile', () => {
  it('forbids only additions: as many and fewer are accepted [LIM-10]', () => {
    const { rows } = withRules(RED, BLUE);
    const bus = new BrokerUnderTest({ rows, limits: { maxSqlFiltersPerTopic: 1 } });
    expect(updateRule(bus, { ...BLUE, name: 'Reds' }).result).toEqual({ kind: 'done' });
    expect(setRules(bus, [RED, sqlRule('other', '1 = 1')]).result).toEqual({ kind: 'done' });
    expect(failureOf(addRule(bus, 'one', BLUE))?.reason).toBe('quota-exceeded');
    const correlated = setRules(bus, [RED, BLUE, CORRELATION]);
    expect(correlated.result).toEqual({ kind: 'done' });
  });
});

describe('the rules of an entity that is no subscription', () => {
  it.each(['orders', TOPIC, `${pathOf('one')}/$DeadLetterQueue`])(
    'of %s cannot be changed [TOP-11]',
    (path) => {
      const bus = withSubscriptions('one');
      bus.putQueue('orders');
      const get = bus.execute({ kind: 'get-rule', entityPath: path, name: '$Default' });
      for (const turn of [updateRule(bus, RED, path), setRules(bus, [RED], path), get]) {
        expect(failureOf(turn)?.reason).toBe('not-allowed');
      }
    },
  );

  it('that is not there are not found [ENT-04]', () => {
    const bus = withTopic();
    const get = bus.execute({ kind: 'get-rule', entityPath: pathOf('one'), name: '$Default' });
    for (const turn of [updateRule(bus, RED), setRules(bus, [RED]), get]) {
      expect(failureOf(turn)?.reason).toBe('entity-not-found');
    }
  });
});
