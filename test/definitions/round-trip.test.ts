// A namespace that is exported and imported is the same: every property, every kind of filter and action.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entities } from '../../src/config/configured-entities.js';
import { readDefinitions } from '../../src/definitions/read-definitions.js';
import { writeDefinitions } from '../../src/definitions/write-definitions.js';
import { countFor } from '../support/thorough.js';
import { comparable, namespaces } from './namespaces.js';

const RUNS = countFor(80, 5000);

function roundTrip(entities: Entities, format: 'config' | 'arm' | 'terraform') {
  const { text, notes } = writeDefinitions(entities, format);
  return { notes, read: readDefinitions({ name: `export.${format}.json`, text }) };
}

test.each(['config', 'arm'] as const)(
  'through %s, a namespace comes back as it was, without a note',
  (format) => {
    fc.assert(
      fc.property(namespaces({ isConfig: format === 'config' }), (entities) => {
        const { notes, read } = roundTrip(entities, format);
        expect(comparable(read)).toEqual(comparable(entities));
        expect(notes).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  },
);

test('through Terraform, all comes back but what it lacks, and that is noted', () => {
  fc.assert(
    fc.property(namespaces({ isConfig: false }), (entities) => {
      const { notes, read } = roundTrip(entities, 'terraform');
      expect(comparable(read)).toEqual(comparable(withoutMetadata(entities)));
      const lacking = notes.filter((note) => /which Terraform lacks$/.test(note));
      expect(lacking).toHaveLength(metadataCount(entities));
    }),
    { numRuns: RUNS },
  );
});

function withoutMetadata({ queues, topics }: Entities): Entities {
  return {
    queues: queues.map((queue) => ({ ...queue, userMetadata: undefined })),
    topics: topics.map(({ description, subscriptions }) => ({
      description: { ...description, userMetadata: undefined },
      subscriptions: subscriptions.map((one) => ({
        ...one,
        description: { ...one.description, userMetadata: undefined },
      })),
    })),
  };
}

function metadataCount({ queues, topics }: Entities): number {
  const all = [
    ...queues,
    ...topics.flatMap(({ description, subscriptions }) => [
      description,
      ...subscriptions.map((one) => one.description),
    ]),
  ];
  return all.filter(({ userMetadata }) => userMetadata !== undefined).length;
}
