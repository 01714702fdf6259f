// Flaws of selectors: while a broken broker carries out a command, its cursors look at messages in a wrong way.

import { SelectorCursor } from '../../src/broker/store/selector-cursor.js';
import type { Remembering } from './broken-stateful-brokers.js';

export const SELECTOR_FLAWS: Readonly<Record<string, Remembering>> = {
  'never looks again at a message that comes back to a selector': withCursor({ becameAvailable: () => {} }),
  'lets a message that a selector skips hold up those behind it': withCursor({
    first: (log, examine) => {
      const message = log.firstAvailableFrom(0);
      return message !== undefined && examine(message) === true ? message : undefined;
    },
  }),
  'takes a message of which a selector does not know whether it is meant': (execute) => (command, now) => {
    if (command.kind !== 'attach-receiver' || command.selector === undefined) return execute(command, now);
    const selector = command.selector.trimEnd();
    return execute({ ...command, selector: `(${selector}) OR (${selector}) IS NULL` }, now);
  },
};

function withCursor(methods: Partial<Pick<SelectorCursor, 'becameAvailable' | 'first'>>): Remembering {
  return (execute) => (command, now) => {
    const { becameAvailable, first } = SelectorCursor.prototype;
    Object.assign(SelectorCursor.prototype, methods);
    try {
      return execute(command, now);
    } finally {
      Object.assign(SelectorCursor.prototype, { becameAvailable, first });
    }
  };
}
