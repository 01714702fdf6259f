// A stored message as a filter sees it that selects messages by hand: as the rules of a topic would, and with what the broker has
// added since.

import { NEVER } from '../contract/instant.js';
import type { MessageView } from '../rules/message-view.js';
import type { SystemProperty } from '../rules/property-name.js';
import type { RuleValue } from '../rules/rule-value.js';
import type { MessageReader, ReadContent } from './message-reader.js';
import { ArrivedMessage, EditedCopy } from './rule-message.js';
import type { StoredMessage } from './stored-message.js';

/** `open` is called when a property of the content is first read. */
export function viewOfStored(
  message: StoredMessage,
  open: () => ReadContent,
  messageReader: MessageReader,
): MessageView {
  const properties = message.properties(undefined);
  const changed = new EditedCopy(new ArrivedMessage(properties, () => open().properties), messageReader);
  changed.apply(properties.propertyChanges, properties.systemChanges);
  return {
    system: (property) => addedSince(message, property) ?? changed.system(property),
    user: (name) => changed.user(name),
    has: (name) => changed.has(name),
    spelling: (name) => changed.spelling(name),
    header: (field) => {
      const generated = field === 'messageId' ? message.details?.generatedMessageId : undefined;
      return generated === undefined ? changed.header(field) : messageReader.shownId(generated);
    },
  };
}

/** Undefined: as the rules of a topic see it. */
function addedSince(message: StoredMessage, property: SystemProperty): RuleValue | undefined {
  switch (property) {
    case 'DeliveryCount':
      return BigInt(message.deliveryCount);
    case 'State':
      return BigInt(message.state);
    case 'ExpiresAtUtc':
      return message.expiresAt === NEVER ? null : { kind: 'timestamp', ms: message.expiresAt };
    case 'MessageId':
      return message.details?.generatedMessageId;
    default:
      return undefined;
  }
}
