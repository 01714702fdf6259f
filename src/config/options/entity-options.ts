// The rows of the table of options that say which entities there are.

import { NAMESPACES } from '../given-namespaces.js';
import { shownSource } from '../shown-source.js';
import type { Option } from './option.js';
import { codeOnly, isText, mustBe, SWITCH, specs, textType } from './option-types.js';

function showSource(source: string | undefined): string | null {
  return source === undefined ? null : shownSource(source);
}

export const ENTITY_OPTIONS = {
  config: {
    flag: '-c, --config <file>',
    variables: ['JITNEY_CONFIG'],
    type: textType('a file', 'the path of a Config.json'),
    setting: 'configFile',
    isShown: true,
    defaultText: 'the one of this package, if no entity is named',
    defaultTextInCode: 'none',
    help: 'a Config.json of the official emulator, with its defaults: 3 deliveries, one hour to live',
    docs: "the path of a Config.json in the official emulator's format, with that emulator's [defaults](entities.md#defaults): 3 deliveries, and one hour to live",
  },
  watch: {
    flag: '--watch',
    variables: ['JITNEY_WATCH'],
    type: SWITCH,
    isInCode: false,
    help: 'apply each change of the Config.json while clients stay',
    docs: 'applies each change of the file that `--config` names while clients stay: new entities, changed properties and rules. A file with an error changes nothing. See [entities](entities.md#watching-a-configjson)',
  },
  prune: {
    flag: '--prune',
    variables: ['JITNEY_PRUNE'],
    type: SWITCH,
    isInCode: false,
    help: 'with --watch: delete entities that are removed from the file, with their messages',
    docs: 'with `--watch`, entities that are removed from the file are deleted, with their messages. Without it they are named and kept',
  },
  configJson: {
    // Users of the official emulator have requested the second name.
    variables: ['JITNEY_CONFIG_JSON', 'CONFIG_JSON'],
    type: codeOnly(
      'string',
      mustBe('the text of a Config.json', (value) => typeof value === 'string'),
    ),
    docs: 'the text of a Config.json in place of a file; a flag that names a file wins over the variable, and in code only one of the two may be given',
  },
  import: {
    flag: '--import <source>',
    variables: ['JITNEY_IMPORT'],
    type: { ...textType('a file or a connection string'), show: showSource },
    setting: 'importSource',
    isInCode: false,
    help: 'start from a template or a live namespace',
    docs: 'a file or a connection string from which all queues and topics come: an ARM template, what `terraform show -json` prints, a namespace of Azure ([moving](to-azure.md#from-azure)). Cannot be combined with `--config` or `--watch`',
  },
  parameters: {
    flag: '--parameters <file>',
    variables: ['JITNEY_PARAMETERS'],
    type: textType('a file', 'the path of a file with parameters'),
    setting: 'importParameters',
    isInCode: false,
    help: 'with --import: values for the parameters of an ARM template',
    docs: 'with `--import`, a file with values for the parameters of an ARM template, as `jitney import` takes it',
  },
  queue: {
    flag: '-q, --queue <spec>',
    variables: ['JITNEY_QUEUES'],
    type: specs('readonly (string | GivenQueue)[]', 'an array of queue specs or objects'),
    setting: 'queues',
    help: 'create a queue',
    docs: "a queue to create: `orders`, `orders?lockDuration=PT5S&maxDeliveryCount=3`, or in code `{ name: 'orders', lockDuration: 'PT5S' }`",
  },
  topic: {
    flag: '-t, --topic <spec>',
    variables: ['JITNEY_TOPICS'],
    type: specs('readonly (string | GivenTopic)[]', 'an array of topic specs or objects'),
    setting: 'topics',
    help: 'create a topic with subscriptions, such as events/audit+mail',
    docs: "a topic to create and its subscriptions: `events/audit+mail`, `events/audit?defaultMessageTimeToLive=PT1H`, or in code `{ name: 'events', subscriptions: [{ name: 'eu', filter: \"region = 'EU'\" }] }`",
  },
  seed: {
    flag: '--seed <file>',
    variables: ['JITNEY_SEED'],
    type: {
      ...textType('a file'),
      typescript: 'string | readonly GivenMessage[]',
      check: mustBe(
        'the path of a file or an array of messages',
        (value) => isText(value) || Array.isArray(value),
      ),
    },
    help: 'messages for a start in memory or of an empty directory: a file with one as JSON in each line',
    docs: 'messages with which a start in memory or of an empty directory begins: a file with one as JSON in each line, in code also an array. See [entities](entities.md#messages-at-the-start)',
  },
  namespaces: {
    flag: '--namespaces <name,...>',
    variables: ['JITNEY_NAMESPACES'],
    type: NAMESPACES,
    help: 'further namespaces, which clients choose by the name of their key; auto makes each that a client names',
    docs: "further namespaces in the same process, each with entities, messages, clock, faults and policies of its own: `tests-1,tests-2`; clients choose one by the name of their key, `RootManageSharedAccessKey@tests-1`. `auto` makes each one that a client names, in memory, until ten minutes after its last client; in code also `[{ name: 'tests-1', queues: ['orders'], port: 0 }]`. See [namespaces](namespaces.md)",
  },
  autoCreate: {
    flag: '--auto-create',
    variables: ['JITNEY_AUTO_CREATE'],
    type: SWITCH,
    isShown: true,
    default: false,
    help: 'create a missing queue, or topic and subscription, when a client sends to it or receives from it',
    docs: "creates what is missing, with Azure's defaults and a warning each: a queue for a sender or a scheduled message; a queue, or a topic and subscription, for a receiver; with sessions for one that accepts a session. Peeks, sub-queues, administration, reads over HTTP and destinations of forwarding create nothing. See [entities](entities.md#created-when-needed)",
  },
} as const satisfies Readonly<Record<string, Option>>;
