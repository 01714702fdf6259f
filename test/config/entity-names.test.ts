// The suggestion for a path that no entity has, or not as wanted.

import { expect, test } from 'vitest';
import { suggestedPath } from '../../src/config/entity-names.js';

test.each([
  ['events/mail', " Did you mean 'events/Subscriptions/mail'?"],
  ['Events/Mail', " Did you mean 'events/Subscriptions/mail'?"],
  ['event', " Did you mean 'events'?"],
  ['orders', ''],
  ['EVENTS', ''],
])("'%s' gets the suggestion '%s'", (wanted, expected) => {
  expect(suggestedPath(wanted, ['events', 'events/Subscriptions/mail'])).toBe(expected);
});
