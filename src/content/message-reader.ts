// Reads stored contents for the broker, which never opens one itself.

import type { MessageReader } from '../broker/message/message-reader.js';
import { asBuffer } from '../codec/types.js';
import { ContentProperties } from './content-properties.js';
import { readHead } from './properties.js';
import { encodeRuleValue, ruleValueAt } from './rule-values.js';
import { findHead } from './sections.js';

/** Of contents that have passed `readMessage` when they were sent: what comes behind the head is not looked at again. */
export const contentReader = {
  read: (content) => {
    const bytes = asBuffer(content);
    const head = findHead(bytes);
    const message = readHead(bytes, head, content);
    return { ...message, properties: new ContentProperties(message, head, bytes) };
  },
  decode: (value) => (typeof value === 'string' ? value : ruleValueAt(asBuffer(value), 0)),
  encode: encodeRuleValue,
} satisfies MessageReader;
