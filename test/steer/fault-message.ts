// Messages as the filters of faults see them, from what a test says in JSON.

import type { MessageView } from '../../src/broker/rules/message-view.js';
import { contentOf, type JsonMessage, JsonReader } from '../support/json-reader.js';

const reader = new JsonReader();

export function messageView(message: JsonMessage): MessageView {
  return reader.read(contentOf(message)).properties;
}
