// Config.json files that cannot be, each with all that is to be said about it: where, what was seen, and what to do.

export type BrokenConfig = {
  readonly what: string;
  readonly text: string;
  /** Without the name of the file. */
  readonly problems: readonly string[];
};

/** What stands between is on line 3. */
function namespace(inner: string): string {
  return `{ "UserConfig": { "Namespaces": [{\n  "Name": "sbemulatorns",\n${inner}\n}] } }`;
}

/** One queue, what is said about it on line 4. */
function queue(inner: string): string {
  return namespace(`  "Queues": [{\n${inner}\n}]`);
}

/** The properties of the queue orders, on line 4. */
function properties(inner: string): string {
  return queue(`    "Name": "orders", "Properties": { ${inner} }`);
}

/** One topic, what is said about it on line 4. */
function topic(inner: string): string {
  return namespace(`  "Topics": [{\n${inner}\n}]`);
}

/** What is said about the rule eu of the subscription audit of the topic events, on line 5. */
function rule(inner: string): string {
  return topic(
    `  "Name": "events", "Subscriptions": [{ "Name": "audit", "Rules": [\n    { "Name": "eu", "Properties": { ${inner} } }\n  ] }]`,
  );
}

const NAMESPACE = 'UserConfig.Namespaces[0]';
const QUEUE = `${NAMESPACE}.Queues[0]`;
const TOPIC = `${NAMESPACE}.Topics[0]`;
const RULE = `${TOPIC}.Subscriptions[0].Rules[0].Properties`;

export const BROKEN_CONFIGS: readonly BrokenConfig[] = [
  { what: 'an empty file', text: '', problems: ['1:1  not JSON: value expected, the text ends'] },
  {
    what: 'a file that ends too early',
    text: '{ "UserConfig": {\n  "Namespaces": [',
    problems: ['2:18  not JSON: close bracket expected, the text ends'],
  },
  {
    what: 'a file that ends within a name',
    text: '{ "UserConfig": {\n  "Namespa',
    problems: ['2:3  not JSON: unexpected end of string, found "Namespa'],
  },
  {
    what: 'a list that is not closed, and so is wrong at each place that follows',
    text: '{ "UserConfig": {\n  "Namespaces": [{ "Queues": [\n    { "Name": "a" },\n  "Topics": [],\n  "Name": "n" }] } }',
    problems: ['4:11  not JSON: comma expected, found :'],
  },
  {
    what: 'lists in lists',
    text: `{\n  "UserConfig": ${'['.repeat(20_000)}`,
    problems: ['2:116  the file is nested too deeply: a Config.json has at most 100 levels'],
  },
  {
    what: 'objects in objects, each of them closed',
    text: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    problems: ['1:501  the file is nested too deeply: a Config.json has at most 100 levels'],
  },
  {
    what: 'lists that are closed as objects are',
    text: '[},'.repeat(20_000),
    problems: ['1:301  the file is nested too deeply: a Config.json has at most 100 levels'],
  },
  {
    what: 'a missing comma',
    text: '{ "UserConfig": {\n  "Logging": {} "Namespaces": [{}] } }',
    problems: ['2:17  not JSON: comma expected, found "Namespaces"'],
  },
  {
    what: 'YAML',
    text: 'UserConfig:\n  Namespaces: []',
    problems: ['1:1  not JSON: invalid symbol, found UserConfig'],
  },
  { what: 'a list', text: '[]', problems: ['1:1  the file must be an object, not []'] },
  {
    what: 'a file of another program',
    text: '{ "queues": ["orders"] }',
    problems: [
      '1:1  UserConfig is missing: put everything in it: { "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "orders" }] }] } }',
      "1:3  queues is not known (a warning). Did you mean 'Queues'?",
    ],
  },
  {
    what: 'a UserConfig without namespaces',
    text: '{\n  "UserConfig": { "Logging": { "Type": "File" } } }',
    problems: [
      '2:3  UserConfig.Namespaces is missing: give a list of namespaces, such as [{ "Queues": [{ "Name": "orders" }] }]',
    ],
  },
  {
    what: 'no namespace in the list',
    text: '{ "UserConfig": {\n  "Namespaces": [] } }',
    problems: ['2:3  UserConfig.Namespaces must contain a namespace, and contains none'],
  },
  {
    what: 'namespaces behind the first one that clients cannot choose by a name',
    text: '{ "UserConfig": { "Namespaces": [{ "Name": "same" }, { "Name": "same" },\n{},\n{ "Name": "Same" },\n{ "Name": "default" },\n{ "Name": "a b" }] } }',
    problems: [
      '2:1  UserConfig.Namespaces[2].Name is missing: clients choose each namespace behind the first one by its name',
      '3:3  UserConfig.Namespaces[3].Name repeats the name "Same" of Namespaces[1]: give it another',
      `4:3  UserConfig.Namespaces[4].Name repeats the name "default" of the first namespace, which is 'default': give it another`,
      '5:3  UserConfig.Namespaces[5].Name must be the name of a namespace, not "a b": a name has 1 to 50 letters, digits, hyphens and underscores, and begins with a letter or digit',
    ],
  },
  {
    what: 'a namespace that is a text',
    text: '{ "UserConfig": { "Namespaces": [\n  "sbemulatorns"] } }',
    problems: [`2:3  ${NAMESPACE} must be an object, not "sbemulatorns"`],
  },
  {
    what: 'entities in one list',
    text: namespace('  "Entities": [{ "Name": "orders", "Type": "Queue" }]'),
    problems: [
      `3:3  ${NAMESPACE}.Entities is not read: give queues under "Queues" and topics under "Topics"`,
    ],
  },
  {
    what: 'queues as an object',
    text: namespace('  "Queues": { "orders": {} }'),
    problems: [`3:3  ${NAMESPACE}.Queues must be a list, not {"orders":{}}`],
  },
  {
    what: 'a queue that is only a name',
    text: namespace('  "Queues": ["orders"]'),
    problems: [`3:14  ${QUEUE} must be an object, not "orders"`],
  },
  {
    what: 'queues given twice',
    text: namespace('  "Queues": [{ "Name": "a" }], "Queues": [{ "Name": "b" }]'),
    problems: [`3:3  ${NAMESPACE}.Queues is given more than once: put all of it into one`],
  },
  {
    what: 'a queue without a name',
    text: queue('    "Properties": {}'),
    problems: [`3:14  ${QUEUE}.Name is missing: give it one`],
  },
  {
    what: 'a name with a space',
    text: queue('    "Name": "my orders"'),
    problems: [
      `4:5  ${QUEUE}.Name must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots, not "my orders"`,
    ],
  },
  {
    what: 'a name that starts with a slash',
    text: queue('    "Name": "/orders"'),
    problems: [
      `4:5  ${QUEUE}.Name must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots, not "/orders"`,
    ],
  },
  {
    what: 'a name that is too long',
    text: queue(`    "Name": "${'x'.repeat(261)}"`),
    problems: [`4:5  ${QUEUE}.Name must have at most 260 characters, but it has 261`],
  },
  {
    what: 'a name that is a number',
    text: queue('    "Name": 7'),
    problems: [`4:5  ${QUEUE}.Name must be a string, not 7`],
  },
  {
    what: 'two queues of one name',
    text: namespace('  "Queues": [{ "Name": "orders" }, { "Name": "ORDERS" }]'),
    problems: [
      `3:38  ${NAMESPACE}.Queues[1].Name repeats the name "ORDERS" of Queues[0]: give it another name (case does not count)`,
    ],
  },
  {
    what: 'a queue and a topic of one name',
    text: namespace('  "Queues": [{ "Name": "orders" }], "Topics": [{ "Name": "Orders" }]'),
    problems: [
      `3:50  ${TOPIC}.Name is "Orders", which is also the name of Queues[0]: a queue and a topic cannot have the same name`,
    ],
  },
  {
    what: 'a lock that is too long',
    text: properties('"LockDuration": "PT10M"'),
    problems: [`4:39  ${QUEUE}.Properties.LockDuration must be at most PT5M, not "PT10M"`],
  },
  {
    what: 'a duration without its letters',
    text: properties('"LockDuration": "30s"'),
    problems: [
      `4:39  ${QUEUE}.Properties.LockDuration must be a duration such as PT30S, P1DT12H or 00:05:00, not "30s"`,
    ],
  },
  {
    what: 'a duration that is a number with decimals',
    text: properties('"DefaultMessageTimeToLive": 3600.5'),
    problems: [
      `4:39  ${QUEUE}.Properties.DefaultMessageTimeToLive must be a duration such as "PT30S", or a whole number of milliseconds, not 3600.5`,
    ],
  },
  {
    what: 'a time to live that is too short',
    text: properties('"DefaultMessageTimeToLive": "PT0.5S"'),
    problems: [`4:39  ${QUEUE}.Properties.DefaultMessageTimeToLive must be at least PT1S, not "PT0.5S"`],
  },
  {
    what: 'an idle time that is too short',
    text: properties('"AutoDeleteOnIdle": "PT1M"'),
    problems: [`4:39  ${QUEUE}.Properties.AutoDeleteOnIdle must be at least PT5M, not "PT1M"`],
  },
  {
    what: 'a window that is too long',
    text: properties('"DuplicateDetectionHistoryTimeWindow": "P8D"'),
    problems: [
      `4:39  ${QUEUE}.Properties.DuplicateDetectionHistoryTimeWindow must be at most P7D, not "P8D"`,
    ],
  },
  {
    what: 'a duration that is longer than there is',
    text: properties('"AutoDeleteOnIdle": "P99999999D"'),
    problems: [
      `4:39  ${QUEUE}.Properties.AutoDeleteOnIdle must not be longer than P10675199DT2H48M5.4775807S (never), but "P99999999D" is`,
    ],
  },
  {
    what: 'no delivery at all',
    text: properties('"MaxDeliveryCount": 0'),
    problems: [
      `4:39  ${QUEUE}.Properties.MaxDeliveryCount must be a whole number from 1 to 2147483647, not 0`,
    ],
  },
  {
    what: 'a count as a text',
    text: properties('"MaxDeliveryCount": "3"'),
    problems: [
      `4:39  ${QUEUE}.Properties.MaxDeliveryCount must be a whole number from 1 to 2147483647, not "3"`,
    ],
  },
  {
    what: 'a size that is beyond every tier',
    text: properties('"MaxSizeInMegabytes": 100000'),
    problems: [
      `4:39  ${QUEUE}.Properties.MaxSizeInMegabytes must be a whole number from 1 to 81920, not 100000`,
    ],
  },
  {
    what: 'true as a text',
    text: properties('"RequiresSession": "true"'),
    problems: [`4:39  ${QUEUE}.Properties.RequiresSession must be true or false, not "true"`],
  },
  {
    what: 'a status that there is not',
    text: properties('"Status": "Enabled"'),
    problems: [
      `4:39  ${QUEUE}.Properties.Status must be one of Active, Disabled, SendDisabled, ReceiveDisabled, not "Enabled"`,
    ],
  },
  {
    what: 'a destination that cannot be a name',
    text: properties('"ForwardTo": "dead letters"'),
    problems: [
      `4:39  ${QUEUE}.Properties.ForwardTo must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots, not "dead letters"`,
    ],
  },
  {
    what: 'a note that is too long',
    text: properties(`"UserMetadata": "${'x'.repeat(1025)}"`),
    problems: [
      `4:39  ${QUEUE}.Properties.UserMetadata must be at most 1024 characters long, but it has 1025`,
    ],
  },
  {
    what: 'properties as a list',
    text: queue('    "Name": "orders", "Properties": []'),
    problems: [`4:23  ${QUEUE}.Properties must be an object, not []`],
  },
  {
    what: 'an authorization rule with a misspelt right',
    text: properties('"AuthorizationRules": [{ "KeyName": "a", "Rights": ["Send", "Lisen"] }]'),
    problems: [
      `4:99  ${QUEUE}.Properties.AuthorizationRules[0].Rights[1] must be one of Manage, Send, Listen, not "Lisen"`,
    ],
  },
  {
    what: 'Manage alone',
    text: properties('"AuthorizationRules": [{ "KeyName": "a", "Rights": ["Manage"] }]'),
    problems: [
      `4:80  ${QUEUE}.Properties.AuthorizationRules[0].Rights must have Send and Listen together with Manage, as Azure requires, not ["Manage"]`,
    ],
  },
  {
    what: 'two authorization rules of one name',
    text: properties(
      '"AuthorizationRules": [{ "KeyName": "a", "Rights": ["Send"] }, { "KeyName": "A", "Rights": ["Send"] }]',
    ),
    problems: [
      `4:102  ${QUEUE}.Properties.AuthorizationRules[1] repeats the name "A" of [0]: give it another name (case does not count)`,
    ],
  },
  {
    what: 'a status that topics do not have',
    text: topic('  "Name": "events", "Properties": { "Status": "ReceiveDisabled" }'),
    problems: [
      `4:37  ${TOPIC}.Properties.Status must be one of Active, Disabled, SendDisabled, not "ReceiveDisabled"`,
    ],
  },
  {
    what: 'a subscription with a slash in its name',
    text: topic('  "Name": "events", "Subscriptions": [{ "Name": "a/b" }]'),
    problems: [
      `4:41  ${TOPIC}.Subscriptions[0].Name must hold only A-Z, a-z, 0-9, "-", "_", "." and "~", and not only dots, not "a/b"`,
    ],
  },
  {
    what: 'two subscriptions of one name',
    text: topic('  "Name": "events", "Subscriptions": [{ "Name": "a" }, { "Name": "A" }]'),
    problems: [
      `4:58  ${TOPIC}.Subscriptions[1].Name repeats the name "A" of Subscriptions[0]: give it another name (case does not count)`,
    ],
  },
  {
    what: 'a rule without properties',
    text: topic('  "Name": "events", "Subscriptions": [{ "Name": "audit", "Rules": [{ "Name": "eu" }] }]'),
    problems: [`4:68  ${RULE} is missing: give at least { "FilterType": "True" }`],
  },
  {
    what: 'a rule without the type of its filter',
    text: rule('"SqlFilter": { "SqlExpression": "1 = 1" }'),
    problems: [`5:21  ${RULE}.FilterType is missing: give one of Correlation, Sql, True, False`],
  },
  {
    what: 'a type of filter that there is not',
    text: rule('"FilterType": "Query"'),
    problems: [`5:37  ${RULE}.FilterType must be one of Correlation, Sql, True, False, not "Query"`],
  },
  {
    what: 'SQL that is left out',
    text: rule('"FilterType": "Sql"'),
    problems: [
      `5:21  ${RULE}.SqlFilter is missing from rule "eu": give { "SqlExpression": "..." }, or the FilterType True, which takes every message`,
    ],
  },
  {
    what: 'SQL that is not an object',
    text: rule('"FilterType": "Sql", "SqlFilter": "region = \'EU\'"'),
    problems: [`5:58  ${RULE}.SqlFilter must be an object, not "region = 'EU'"`],
  },
  {
    what: 'SQL with a text that is not closed',
    text: rule('"FilterType": "Sql", "SqlFilter": { "SqlExpression": "region = \'EU" }'),
    problems: [
      `5:73  ${RULE}.SqlFilter.SqlExpression of rule "eu" is invalid at line 1, column 10: the ' is never closed, expected '`,
    ],
  },
  {
    what: 'an action that is no action',
    text: rule('"FilterType": "True", "Action": { "SqlExpression": "region = \'EU\'" }'),
    problems: [
      `5:71  ${RULE}.Action.SqlExpression of rule "eu" is invalid at line 1, column 1: found 'region', expected SET or REMOVE`,
    ],
  },
  {
    what: 'a correlation filter that names nothing',
    text: rule('"FilterType": "Correlation", "CorrelationFilter": {}'),
    problems: [
      `5:66  ${RULE}.CorrelationFilter of rule "eu" cannot be used: A correlation filter names at least one property the message has to have; this one names none`,
    ],
  },
  {
    what: 'an application property beside the others',
    text: rule('"FilterType": "Correlation", "CorrelationFilter": { "region": "EU" }'),
    problems: [
      `5:89  ${RULE}.CorrelationFilter.region is not a property that a correlation filter can name. Application properties go under "Properties".`,
    ],
  },
  {
    what: 'an application property that is a list',
    text: rule('"FilterType": "Correlation", "CorrelationFilter": { "Properties": { "region": ["EU"] } }'),
    problems: [
      `5:105  ${RULE}.CorrelationFilter.Properties.region must be a text, a number, true or false, or a date, not ["EU"]`,
    ],
  },
  {
    what: 'a name under a key in the wrong case',
    text: queue('    "name": "orders"'),
    problems: [
      `3:14  ${QUEUE}.Name is missing: give it one`,
      `4:5  ${QUEUE}.name is not known (a warning). Did you mean 'Name'?`,
    ],
  },
  {
    what: 'mistakes of every kind',
    text: '{ "UserConfig": { "Namespaces": [{ "Queues": [\n  7,\n  { "Name": "a b" },\n  { "Name": "a", "Properties": { "MaxDeliveryCount": 0 } },\n  { "Name": "A" }],\n "Topics": [{ "Name": "t", "Subscriptions": [{ "Name": "s", "Rules": [\n  { "Name": "x", "Properties": { "FilterType": "Query" } },\n  { "Name": "y", "Properties": { "FilterType": "Sql", "SqlFilter": { "SqlExpression": "a =" } } }] }, 8] }] }] } }',
    problems: [
      `2:3  ${QUEUE} must be an object, not 7`,
      `3:5  ${NAMESPACE}.Queues[1].Name must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots, not "a b"`,
      `4:34  ${NAMESPACE}.Queues[2].Properties.MaxDeliveryCount must be a whole number from 1 to 2147483647, not 0`,
      `5:5  ${NAMESPACE}.Queues[3].Name repeats the name "A" of Queues[2]: give it another name (case does not count)`,
      `7:34  ${RULE}.FilterType must be one of Correlation, Sql, True, False, not "Query"`,
      `8:70  ${TOPIC}.Subscriptions[0].Rules[1].Properties.SqlFilter.SqlExpression of rule "y" is invalid at line 1, column 4: found the end, expected a value`,
      `8:103  ${TOPIC}.Subscriptions[1] must be an object, not 8`,
    ],
  },
  {
    what: 'many mistakes',
    text: properties('"LockDuration": "PT10M", "MaxDeliveryCount": 0,\n  "RequiresSession": 1 '),
    problems: [
      `4:39  ${QUEUE}.Properties.LockDuration must be at most PT5M, not "PT10M"`,
      `4:64  ${QUEUE}.Properties.MaxDeliveryCount must be a whole number from 1 to 2147483647, not 0`,
      `5:3  ${QUEUE}.Properties.RequiresSession must be true or false, not 1`,
    ],
  },
];
