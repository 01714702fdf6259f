// Rules of a subscription as the SDKs with a rule manager ask for them, and in the form in which each takes them apart.

import { expect, test } from 'vitest';
import { type Encoded, int, str } from '../../support/frame-encoder.js';
import { entryOf, type ReceivedMessage } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { bodyOf } from '../management/management-client.js';
import type { Conversation, Requests } from './conversation.js';
import type { Dialect } from './dialect.js';
import { expectCondition, expectCorrelation, expectStatus } from './requests.js';
import { SUBSCRIPTION, TOPIC, talk } from './talk.js';

export type RuleBodies = {
  /** The body that adds a rule with the filter `price > 10` and without an action. */
  readonly sql: (name: string) => Encoded;
  /** With a correlation filter for the label `red` and the property `amount`, an integer 2, and the action `SET a = 1`. */
  readonly correlation: (name: string) => Encoded;
};

type RequestKinds = NonNullable<Dialect['requests']>;

/** `filter action name`, all but the time of creation. */
const LISTED = {
  default: 'ulong 83483426823[], ulong 1335734829061[], "$Default"',
  sql: (name: string) => `ulong 83483426822["price > 10", int 20], ulong 1335734829061[], "${name}"`,
  correlation: (name: string) =>
    `ulong 83483426825[null, null, null, null, "red", null, null, null, {"amount": int 2}], ulong 1335734829062["SET a = 1", int 20], "${name}"`,
};

export function ruleTests(dialect: Dialect, requests: RequestKinds, bodies: RuleBodies): void {
  const path = `${TOPIC}/Subscriptions/${SUBSCRIPTION}`;

  test('rules are added, and listed by name in described lists until there are no more [TOP-02, TOP-11]', () =>
    talk(dialect, async ({ conversation }) => {
      const ask = asking(conversation, await conversation.openRequests(requests.management(path)));
      expectStatus(await ask('add-rule', bodies.sql('sqlRule')), 200);
      expectStatus(await ask('add-rule', bodies.correlation('correlationRule')), 200);
      const all = [LISTED.default, LISTED.correlation('correlationRule'), LISTED.sql('sqlRule')];
      expect(rulesIn(await ask('enumerate-rules', page(0, 100)))).toEqual(all);
      for (const [index, rule] of all.entries()) {
        expect(rulesIn(await ask('enumerate-rules', page(index, 1)))).toEqual([rule]);
      }
      expectStatus(await ask('enumerate-rules', page(3, 100)), 204);
    }));

  test('a rule of a name that is taken is refused with 409, and one that is missing with 404 [TOP-11, ERR-01, ERR-04]', () =>
    talk(dialect, async ({ conversation }) => {
      const ask = asking(conversation, await conversation.openRequests(requests.management(path)));
      expectStatus(await ask('add-rule', bodies.sql('rule')), 200);
      const taken = await ask('add-rule', bodies.correlation('rule'));
      expectStatus(taken, 409);
      expectCondition(taken, "'com.microsoft:entity-already-exists");
      expect(description(taken)).toMatch(/The messaging entity '.*rule' already exists\./);
      expectStatus(await ask('remove-rule', bodyOf({ 'rule-name': str('rule') })), 200);
      const missing = await ask('remove-rule', bodyOf({ 'rule-name': str('rule') }));
      expectStatus(missing, 404);
      expectCondition(missing, "'amqp:not-found");
      expect(description(missing)).toMatch(/The messaging entity '.*' could not be found\./);
    }));

  function asking(conversation: Conversation, management: Requests) {
    return async (operation: string, body: Encoded): Promise<ReceivedMessage> => {
      const name = str(`com.microsoft:${operation}`);
      const messageId = conversation.request(management, name, body, requests.properties);
      const reply = await conversation.takeReply(management);
      expectCorrelation(reply, messageId);
      return reply;
    };
  }
}

function page(skip: number, top: number): Encoded {
  return bodyOf({ top: int(top), skip: int(skip) });
}

function rulesIn(reply: ReceivedMessage): string[] {
  expectStatus(reply, 200);
  const rules = entryOf(reply.section('value')?.value, 'rules');
  if (rules?.type !== 'list') throw new Error(`a list is expected, not ${notation(rules)}`);
  return rules.value.map((rule) => {
    const text = notation(entryOf(rule, 'rule-description'));
    const [, items] = /^ulong 1335734829060\[(.*), timestamp \d+\]$/.exec(text) ?? [];
    return items ?? text;
  });
}

function description(reply: ReceivedMessage): string {
  return notation(reply.entry('applicationProperties', 'statusDescription'));
}
