// The suggestion for a path that no entity has, or not as wanted.

import { expect, test } from 'vitest';
import { sharedSuggestions, suggestedPath } from '../../src/config/entity-names.js';
import type { Ask } from '../../src/config/list-entities.js';

test.each([
  ['events/mail', " Did you mean 'events/Subscriptions/mail'?"],
  ['Events/Mail', " Did you mean 'events/Subscriptions/mail'?"],
  ['events/mial', " Did you mean 'events/Subscriptions/mail'?"],
  ['event', " Did you mean 'events'?"],
  ['orders', ''],
  ['EVENTS', ''],
])("'%s' gets the suggestion '%s'", (wanted, expected) => {
  expect(suggestedPath(wanted, ['events', 'events/Subscriptions/mail'])).toBe(expected);
});

test('names that are missing at once share one list of the entities, and a later one gets a new list', async () => {
  const asked: string[] = [];
  const ask: Ask = async (command) => {
    asked.push('type' in command ? `${command.kind} ${command.type}` : command.kind);
    return { kind: 'entities', entities: [] };
  };
  const suggest = sharedSuggestions(ask);
  await Promise.all(['a', 'b', 'c'].map(suggest));
  expect(asked).toEqual(['list-entities queue', 'list-entities topic']);
  await suggest('d');
  expect(asked).toHaveLength(4);
});
