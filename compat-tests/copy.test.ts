// `jitney copy` as a process that is killed and run again, between two emulators: the short form of `npm run measure -- trials copy`.

import { expect, test } from 'vitest';
import { countFor } from '../test/support/thorough.js';
import { tryCopy } from '../tools/trials/copy.js';

test.each([false, true])(
  'nothing is lost and nothing comes twice when a copy is killed; deleting: %s',
  async (isMove) => {
    const trial = { messageCount: countFor(600, 1500), killCount: countFor(2, 6), seed: 7, isMove };
    expect(await tryCopy(trial)).toMatchObject({ problems: [] });
  },
);
