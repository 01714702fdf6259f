// All attacks by name.

import type { Attack } from './attack.js';
import { DOCUMENT_ATTACKS } from './attacks/documents.js';
import { DUE_ATTACKS } from './attacks/due.js';
import { HALF_ATTACKS } from './attacks/halves.js';
import { JMS_ATTACKS } from './attacks/jms.js';
import { MANY_ATTACKS } from './attacks/many.js';
import { TEXT_ATTACKS } from './attacks/texts.js';
import { TOPIC_ATTACKS } from './attacks/topics.js';
import { UNREAD_ATTACKS } from './attacks/unread.js';

export const ATTACKS: Readonly<Record<string, Attack>> = {
  ...TEXT_ATTACKS,
  ...TOPIC_ATTACKS,
  ...UNREAD_ATTACKS,
  ...HALF_ATTACKS,
  ...DUE_ATTACKS,
  ...DOCUMENT_ATTACKS,
  ...MANY_ATTACKS,
  ...JMS_ATTACKS,
};
