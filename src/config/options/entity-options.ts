// The rows of the table of options that say which entities there are.

import { shownSource } from '../shown-source.js';
import type { Option } from './option.js';
import { codeOnly, mustBe, specs, textType } from './option-types.js';

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
    help: 'a Config.json of the official emulator',
    docs: "the path of a Config.json in the official emulator's format, with that emulator's defaults",
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
    docs: 'a file or a connection string from which all queues and topics come: an ARM template, what `terraform show -json` prints, a namespace of Azure ([moving](to-azure.md#from-azure)). `jitney import` takes parameters, too. Cannot be combined with `--config`',
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
