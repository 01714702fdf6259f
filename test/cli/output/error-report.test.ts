// What a person reads when the command fails: every code once.

import { expect, test } from 'vitest';
import { formatReport, reportOf } from '../../../src/cli/output/error-report.js';
import { readSettings } from '../../../src/config/settings.js';
import { translateListenError } from '../../../src/gateway/port-error.js';
import { isOfKind, JitneyError } from '../../../src/jitney-error.js';
import { journalError } from '../../../src/journal/journal-error.js';

const settings = readSettings({}, {});

function failedListen(code: string, host: string, port: number): unknown {
  return translateListenError(Object.assign(new Error(`listen ${code}`), { code, port }), host, port);
}

function told(error: unknown): string {
  return formatReport(
    reportOf(error, settings, { startInstead: isOfKind(error, 'in-use') ? 'jitney --x 6000' : undefined }),
    error,
    false,
  );
}

test.each<[string, unknown, string]>([
  [
    'a bad flag',
    new JitneyError('bad-option', '--port must be a number'),
    `✖ JIT1001  --port must be a number
           See:  jitney --help
`,
  ],
  [
    'a bad variable',
    new JitneyError('bad-variable', 'JITNEY_PORT must be a number'),
    `✖ JIT1002  JITNEY_PORT must be a number
           See:  jitney --help
`,
  ],
  [
    'the AMQP port in use',
    failedListen('EADDRINUSE', '127.0.0.1', 5672),
    `✖ JIT1003  Port 5672 on 127.0.0.1 is in use
           RabbitMQ and the official emulator use this port too
           Start it beside:    jitney --x 6000
           Take any free one:  --port 0
`,
  ],
  [
    'the HTTP port in use',
    failedListen('EADDRINUSE', '127.0.0.1', 5300),
    `✖ JIT1003  Port 5300 on 127.0.0.1 is in use
           Start it beside:    jitney --x 6000
           Take any free one:  --http-port 0
           Do without it:      --http-port off
`,
  ],
  [
    'the last port in use',
    failedListen('EADDRINUSE', '127.0.0.1', 65_535),
    `✖ JIT1003  Port 65535 on 127.0.0.1 is in use
           Start it beside:    jitney --x 6000
           Take any free one:  --port 0
`,
  ],
  [
    'the port for AMQP over TLS in use',
    failedListen('EADDRINUSE', '127.0.0.1', 5671),
    `✖ JIT1003  Port 5671 on 127.0.0.1 is in use
           Start it beside:    jitney --x 6000
           Take any free one:  --tls-port 0
           Do without it:      --tls-port off
`,
  ],
  [
    'a port without permission',
    failedListen('EACCES', '127.0.0.1', 80),
    `✖ JIT1004  Port 80 on 127.0.0.1 cannot be opened, because this user has no permission
           Ports above 1023 need no permission
`,
  ],
  [
    'an address that is not ours',
    failedListen('EADDRNOTAVAIL', '192.0.2.1', 5672),
    `✖ JIT1005  Host 192.0.2.1 is not an address of this machine
           Only this machine:  --host localhost
           Every address:      --host 0.0.0.0
`,
  ],
  [
    'a config file that cannot be read',
    new JitneyError('config-file-unreadable', 'Cannot read it'),
    '✖ JIT2001  Cannot read it\n',
  ],
  [
    'a config file with problems',
    new JitneyError('config-file-invalid', 'The config file c.json has 2 problems', {
      problems: ['c.json:1:2  x', 'c.json:3:4  y'],
    }),
    `✖ JIT2002  The config file c.json has 2 problems
           c.json:1:2  x
           c.json:3:4  y
`,
  ],
  [
    'a bad queue',
    new JitneyError('bad-queue', 'Queue "a b": its name is bad'),
    `✖ JIT2003  Queue "a b": its name is bad
           For example:  --queue 'orders?lockDuration=PT30S&maxDeliveryCount=5'
`,
  ],
  [
    'a queue the tier does not allow',
    new JitneyError('entity-beyond-limits', 'MaxMessageSizeInKilobytes is too large'),
    `✖ JIT2004  MaxMessageSizeInKilobytes is too large
           Change it, or the tier:  --tier premium
`,
  ],
  [
    'a queue that exists and wants to be what it cannot become',
    new JitneyError('entity-fixed', "Queue 'orders' cannot become that"),
    `✖ JIT2006  Queue 'orders' cannot become that
           The stored entity of that name is kept, with its messages, in ${settings.dataDirectory}
           Leave it as it was, or start afresh:  --reset   or:  --memory   or:  --data <another dir>
`,
  ],
  [
    'a queue that wants what the tier does not have',
    new JitneyError('entity-beyond-tier', 'This tier does not have it'),
    `✖ JIT2007  This tier does not have it
           Leave it out, or take another tier:  --tier standard
`,
  ],
  [
    'a bad topic',
    new JitneyError('bad-topic', 'Topic "a b": its name is bad'),
    `✖ JIT2008  Topic "a b": its name is bad
           For example:  --topic 'events/audit+mail?defaultMessageTimeToLive=PT1H'
`,
  ],
  [
    'a queue where there is a topic',
    new JitneyError('name-in-use', "Queue 'x' cannot be created"),
    `✖ JIT2009  Queue 'x' cannot be created
           The stored entity of that name is kept, with its messages, in ${settings.dataDirectory}
           Take another name, or start afresh:  --reset   or:  --memory   or:  --data <another dir>
`,
  ],
  [
    'forwarding to what is not there',
    new JitneyError('bad-forwarding', "forwardTo of queue 'x' is 'y'"),
    `✖ JIT2010  forwardTo of queue 'x' is 'y'
           Forward to another queue or topic, and name that one too
`,
  ],
  [
    'any other refusal, for which there is no advice',
    new JitneyError('entity-refused', "Queue 'x' cannot be"),
    "✖ JIT2017  Queue 'x' cannot be\n",
  ],
  [
    'a certificate of the user that is not there',
    new JitneyError('certificate-unreadable', '/a.pem is not there'),
    `✖ JIT2011  /a.pem is not there
           For one of the emulator's own:  leave out --cert and --key
`,
  ],
  [
    'a directory where no certificate can be kept',
    new JitneyError('certificate-unwritable', '/a cannot be written'),
    `✖ JIT2012  /a cannot be written
           Keep them elsewhere:  --cert-directory <dir>
`,
  ],
  [
    'a file that is no certificate',
    new JitneyError('certificate-invalid', '/a.pem is no certificate'),
    `✖ JIT2013  /a.pem is no certificate
           For one of the emulator's own:  leave out --cert and --key
`,
  ],
  [
    'a key of another certificate',
    new JitneyError('certificate-key-mismatch', 'The key does not belong to it'),
    `✖ JIT2014  The key does not belong to it
           For one of the emulator's own:  leave out --cert and --key
`,
  ],
  [
    'a certificate that has ended',
    new JitneyError('certificate-expired', 'It was valid until then'),
    `✖ JIT2015  It was valid until then
           For one of the emulator's own:  leave out --cert and --key
`,
  ],
  [
    'half an authority',
    new JitneyError('authority-incomplete', '/ca-key.pem is missing'),
    `✖ JIT2016  /ca-key.pem is missing
           Start afresh elsewhere:  --cert-directory <dir>
`,
  ],
  [
    'an emulator that breaks',
    new JitneyError('broken', 'The emulator broke'),
    `✖ JIT3001  The emulator broke
           What clients were told is done is kept; start it again
`,
  ],
  [
    'a stop without end',
    new JitneyError('stop-overdue', 'It does not stop'),
    `✖ JIT3002  It does not stop
           What clients were told is done is kept
`,
  ],
  ['bad health', new JitneyError('unhealthy', 'It answers 503'), '✖ JIT3003  It answers 503\n'],
  [
    'no answer about health',
    new JitneyError('unreachable', 'Nothing answers'),
    `✖ JIT3004  Nothing answers
           On another port:  --http-port <n>
`,
  ],
  [
    'a log file that cannot be written',
    new JitneyError('log-file-unwritable', 'The log file x cannot be written: EACCES: permission denied'),
    `✖ JIT3005  The log file x cannot be written: EACCES: permission denied
           Another file:  --log-file <path>   or none, for stderr:  leave it out
`,
  ],
  [
    'an unforeseen error',
    new TypeError('x is not a function'),
    `✖ JIT5001  x is not a function
           Not foreseen. For the stack trace:  --log-level debug
`,
  ],
])('%s is told with its code and what to do', (_, error, text) => {
  expect(told(error)).toBe(text);
  const isForeseen = !(error instanceof TypeError);
  expect((error as { code?: string }).code).toBe(isForeseen ? text.slice(2, 9) : undefined);
});

test.each([
  ['--tier basic', readSettings({ tier: 'basic' }, {})],
  ['JITNEY_TIER=basic', readSettings({}, { JITNEY_TIER: 'Basic' })],
])('what the tier does not have is told with %s, which gives the tier', (given, ofTier) => {
  const { help } = reportOf(new JitneyError('entity-beyond-tier', ''), ofTier);
  expect(help).toContain(`The tier is given by ${given}`);
});

test('where no other port is free, none is offered', () => {
  const { help } = reportOf(failedListen('EADDRINUSE', '127.0.0.1', 5300), settings);
  expect(help).toEqual(['Take any free one:  --http-port 0', 'Do without it:      --http-port off']);
});

test("an error of Node's own has the code of an unforeseen one", () => {
  expect(reportOf(Object.assign(new Error('x'), { code: 'EACCES' })).code).toBe('JIT5001');
});

test('even what is not an error is told', () => {
  expect(told('out of luck')).toContain('✖ JIT5001  out of luck\n');
});

test('a wrong command ends with 2, everything else with 1', () => {
  const codes = (
    ['bad-option', 'bad-variable', 'bad-queue', 'bad-topic', 'config-file-invalid'] as const
  ).map((kind) => reportOf(new JitneyError(kind, '')).exitCode);
  expect(codes).toEqual([2, 2, 2, 2, 1]);
  expect(reportOf(new Error('x')).exitCode).toBe(1);
});

test.each([
  ['locked', 'JIT4001'],
  ['unreadable', 'JIT4002'],
  ['corrupt', 'JIT4003'],
  ['newer-format', 'JIT4004'],
  ['unwritable', 'JIT4005'],
  ['foreign', 'JIT4006'],
  ['linked', 'JIT4007'],
  ['older-format', 'JIT4008'],
] as const)(
  'a journal that is %s is told as %s, with its remedy and where else to keep the data',
  (kind, code) => {
    const error = journalError(kind, '/data', 'what was seen');
    expect(told(error)).toBe(
      `✖ ${code}  ${error.message}\n           Keep it elsewhere:  --data <dir>   or nowhere:  --memory\n`,
    );
  },
);

test('a check of a journal does not say where else to keep the data', () => {
  const error = journalError('unreadable', '/data', 'what was seen');
  expect(reportOf(error, undefined, { command: 'check' }).help).toEqual([]);
});
