// Random messages, in every encoding that AMQP allows, as the control interface shows them.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { InspectedMessage } from '../../../src/broker/contract/inspection.js';
import { readMessage } from '../../../src/content/read-message.js';
import { rawMessageSchema } from '../../../src/http/control/control-schemas.js';
import { rawMessageAnswer } from '../../../src/http/control/message-answers.js';
import { UNTOUCHED } from '../../content/delivered.js';
import { anyMessage } from '../../support/frame-message-arbitraries.js';
import { countFor } from '../../support/thorough.js';

const INSPECTED: InspectedMessage = {
  condition: 'active',
  properties: UNTOUCHED,
  contentId: 1,
  storeId: 1,
  sizeBytes: 0,
  sessionId: undefined,
  details: undefined,
  lock: undefined,
};

const RUNS = countFor(60, 500);

it('every message that is accepted is shown as the schema says, and its sections cover all its bytes', () => {
  let shownCount = 0;
  fc.assert(
    fc.property(anyMessage, ({ bytes }) => {
      let content: Uint8Array;
      try {
        content = readMessage(bytes).content;
      } catch {
        return;
      }
      const json: unknown = JSON.parse(JSON.stringify(rawMessageAnswer(INSPECTED, content)));
      const { raw } = rawMessageSchema.parse(json);
      shownCount += 1;
      let end = 0;
      for (const section of raw.sections) {
        expect(section.start).toBe(end);
        end = section.end;
      }
      expect(end).toBe(content.length);
    }),
    { numRuns: RUNS },
  );
  expect(shownCount).toBeGreaterThan(RUNS / 2);
});
