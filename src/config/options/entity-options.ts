// The rows of the table of options that say which entities there are.

import type { Option } from './option.js';
import { codeOnly, mustBe, SWITCH, specs, textType } from './option-types.js';

export const ENTITY_OPTIONS = {
  config: {
    flag: '-c, --config <file>',
    variables: ['JITNEY_CONFIG'],
    type: textType('a file', 'the path of a Config.json'),
    setting: 'configFile',
    isShown: true,
    defaultText: 'the one of this package, if no entity is named',
    defaultTextInCode: 'none',
    help: 'a Config.json of the official emulator',
    docs: "the path of a Config.json in the official emulator's format, with that emulator's defaults",
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
} as const satisfies Readonly<Record<string, Option>>;
