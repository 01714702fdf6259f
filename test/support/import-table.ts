// Who may import whom: the table of `src/README.md` as data, and the rule that enforces it.

import type { SourceFile } from './source-file.js';

type Allowed = {
  /** Other rooms of which anything may be imported. */
  readonly rooms?: readonly string[];
  /** Other rooms of which only types may be imported, and the values of VOCABULARY. */
  readonly typesOf?: readonly string[];
  /** Packages by name, or `name/` for their inner files. */
  readonly packages?: readonly string[];
  readonly node?: readonly string[];
};

/** The longest room that a path starts with is its room. */
const TABLE: Readonly<Record<string, Allowed>> = {
  'broker/': {},
  'engine/': { rooms: ['broker/'], node: ['assert', 'crypto'] },
  'activity/': { typesOf: ['broker/', 'engine/'] },
  'journal/': {
    typesOf: ['engine/', 'broker/'],
    packages: ['level', 'abstract-level'],
    node: ['assert', 'crypto', 'fs', 'fs/promises', 'os', 'path', 'timers/promises', 'zlib'],
  },
  'codec/': { packages: ['rhea/lib/'], node: ['assert'] },
  'content/': { rooms: ['codec/'], typesOf: ['broker/'], node: ['assert'] },
  'security/': {
    typesOf: ['broker/'],
    packages: ['jose', '@peculiar/x509', 'reflect-metadata'],
    node: ['crypto', 'fs/promises', 'net', 'os', 'path'],
  },
  'amqp/protocol/': { rooms: ['codec/'], node: ['assert'] },
  'amqp/': {
    rooms: [
      ...['amqp/protocol/', 'activity/', 'codec/', 'content/', 'engine/', 'faults/', 'security/', 'wording/'],
    ],
    typesOf: ['broker/'],
    node: ['assert', 'stream'],
  },
  'http/': {
    rooms: [
      ...[
        'activity/',
        'codec/',
        'content/',
        'description/',
        'engine/',
        'faults/',
        'http/control/',
        'security/',
        'wording/',
      ],
    ],
    typesOf: ['broker/', 'clock/'],
    packages: ['saxes'],
    node: ['crypto', 'fs/promises', 'http', 'path'],
  },
  'http/control/': {
    rooms: [
      ...['activity/', 'clock/', 'config/', 'content/', 'description/', 'engine/', 'faults/', 'http/'],
      ...['look/', 'security/', 'wording/'],
    ],
    typesOf: ['broker/'],
    packages: ['zod'],
  },
  'gateway/': { rooms: ['security/'], packages: ['ws'], node: ['net', 'tls', 'http', 'stream'] },
  'client/': {
    rooms: ['codec/', 'security/'],
    packages: ['rhea', 'ws'],
    node: ['crypto', 'events', 'net', 'stream', 'timers/promises', 'tls'],
  },
  'wording/': { typesOf: ['broker/'] },
  'description/': { typesOf: ['broker/'] },
  'config/': {
    rooms: ['description/'],
    typesOf: ['activity/', 'broker/'],
    packages: ['zod', 'jsonc-parser'],
    node: ['fs/promises', 'module', 'path', 'url'],
  },
  'look/': { rooms: ['activity/', 'config/', 'content/', 'description/', 'engine/'], typesOf: ['broker/'] },
  'clock/': {
    rooms: ['engine/', 'description/'],
    typesOf: ['activity/', 'broker/'],
    node: ['crypto', 'fs/promises', 'path', 'timers/promises'],
  },
  'dashboard/': {
    typesOf: ['http/control/', 'description/'],
    packages: ['preact', 'preact/hooks', '@preact/signals', 'uplot'],
  },
  'faults/': { rooms: ['clock/', 'description/'], typesOf: ['broker/'] },
  'emulator.ts': {
    rooms: [
      ...[
        'activity/',
        'broker/',
        'clock/',
        'config/',
        'content/',
        'engine/',
        'faults/',
        'gateway/',
        'journal/',
      ],
      ...['look/', 'security/', 'engine-start.ts', 'front-ends.ts'],
    ],
  },
  'engine-start.ts': {
    rooms: [
      ...['activity/', 'broker/', 'clock/', 'config/', 'content/', 'engine/', 'journal/', 'front-ends.ts'],
    ],
    node: ['path'],
  },
  'front-ends.ts': {
    rooms: [
      ...['activity/', 'amqp/', 'clock/', 'config/', 'engine/', 'faults/', 'gateway/', 'http/', 'security/'],
    ],
    node: ['module', 'net', 'path'],
  },
  'testing/': { rooms: ['emulator.ts', 'content/', 'engine/'], typesOf: ['broker/'] },
  'cli/': {
    rooms: [
      'emulator.ts',
      'activity/',
      'client/',
      'config/',
      'content/',
      'description/',
      'faults/',
      'journal/',
      'security/',
    ],
    typesOf: ['broker/'],
    packages: ['commander'],
    node: [
      ...['crypto', 'events', 'fs', 'fs/promises', 'http', 'https', 'module', 'net', 'path', 'perf_hooks'],
      ...['stream', 'timers/promises', 'tls', 'vm', 'zlib'],
    ],
  },
};

/** The broker's words without its rules: what every room may use to speak with it. */
const VOCABULARY: readonly string[] = [
  'broker/content-unreadable.ts',
  'broker/instant.ts',
  'broker/limits.ts',
  'broker/service-bus-error.ts',
  'broker/entities/authorization-rule.ts',
  'broker/entities/entity-path.ts',
  'broker/entities/queue-description.ts',
  'broker/entities/topic-description.ts',
  'broker/rules/parameter-value.ts',
  'broker/rules/rule-compiler.ts',
  'broker/rules/rule-description.ts',
  // How application properties are found (SQL-05).
  'broker/rules/message-view.ts',
  'description/suggestion.ts',
  // The timers that tests hold.
  'engine/timer.ts',
];

export function findForbiddenImports(file: SourceFile): string[] {
  const room = roomOf(file.path);
  const allowed = TABLE[room];
  if (allowed === undefined) return [`${file.path} is in no room of the import table`];
  return file.imports
    .filter(({ target, isTypeOnly }) => !isAllowed(target, isTypeOnly, room, allowed))
    .map(({ target, isTypeOnly }) => `${file.path} imports ${isTypeOnly ? 'types of ' : ''}${target}`);
}

function isAllowed(target: string, isTypeOnly: boolean, room: string, allowed: Allowed): boolean {
  if (target.startsWith('node:')) return (allowed.node ?? []).includes(target.slice('node:'.length));
  if (!/\.tsx?$/.test(target)) {
    return (allowed.packages ?? []).some((name) =>
      name.endsWith('/') ? target.startsWith(name) : target === name,
    );
  }
  const other = roomOf(target);
  if (other === room || allowed.rooms?.includes(other) === true) return true;
  return allowed.typesOf?.includes(other) === true && (isTypeOnly || VOCABULARY.includes(target));
}

function roomOf(path: string): string {
  const rooms = Object.keys(TABLE).filter((room) => path.startsWith(room));
  return rooms.reduce((longest, room) => (room.length > longest.length ? room : longest), '');
}
