// The options of start about TLS, certificates and who is let in, as commander sees them.

import { type Command, Option } from 'commander';
import { AMQPS_PORT } from '../config/options.js';
import { DEFAULTS } from '../config/settings.js';

export function describeAccess(program: Command): Command {
  return program
    .optionsGroup('TLS and certificates:')
    .option(
      '--tls-port <n|off>',
      `the port that AMQP over TLS dials [${AMQPS_PORT} beside port 5672, else off]`,
    )
    .option('--https-port <n|off>', 'the port that https and WebSocket dial, which is 443 [off]')
    .addOption(switchOff('--no-tls', 'speak no TLS on any port'))
    .option('--cert <file>', 'a certificate of your own, in PEM; with --key')
    .option('--key <file>', 'its private key, in PEM')
    .option('--cert-host <name[:port]>', "a name for the emulator's own certificate; repeatable", collect)
    .option('--cert-directory <dir>', 'where that is kept [one for all projects, in your home]')
    .optionsGroup('Who is let in:')
    .option(
      '--policy <name=rights:key>',
      "a policy in place of everybody's, such as sender=Send:its-key; repeatable",
      collect,
    )
    .option('--auth <any|strict>', `strict checks keys, tokens and their rights [${DEFAULTS.auth}]`)
    .addOption(switchOff('--no-token-endpoint', 'give nobody tokens, as DefaultAzureCredential asks for'))
    .option('--cors <origin,...>', 'web pages that may use it, besides those of this machine')
    .option('--allow-host <name,...>', 'names it is asked for by, besides those of this machine');
}

/** Commander takes `--no-x` for the opposite of an option x that is on by default. This is a switch like any other. */
function switchOff(flags: string, description: string): Option {
  const option = new Option(flags, description);
  option.negate = false;
  return option;
}

/** For an option that is repeated. */
export function collect(item: string, before: readonly string[] = []): string[] {
  return [...before, item];
}
