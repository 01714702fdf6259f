// Makes the servers for AMQP and HTTP, the control interface and the check of access from the options of an emulator.

import { join } from 'node:path';
import { type AmqpNamespaces, AmqpServer } from './amqp/amqp-server.js';
import { AZURE_IDLE_TIMEOUTS, NO_IDLE_TIMEOUTS } from './amqp/idle-watch.js';
import { AutoCreate } from './auto-create.js';
import type { Command } from './broker/contract/command.js';
import type { ByteBudget } from './budget/byte-budget.js';
import { clientPolicy, formatConnectionString } from './config/connection-string.js';
import { sharedSuggestions } from './config/entity-names.js';
import { faultText } from './config/guarded-log.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { ownVersion, packageFile } from './config/package-file.js';
import {
  brokerOptions,
  certificateOptions,
  chooseIdleTimeouts,
  shownOptions,
} from './config/part-options.js';
import { CONTROL_ORIGIN } from './config/setting-readers.js';
import type { Engine } from './engine/engine.js';
import type { SystemGuids } from './engine/system-guids.js';
import type { ControlContext, HttpContext } from './http/http-context.js';
import type { StartPage } from './http/start-page.js';
import { Searches } from './inspect/searches.js';
import type { RunningNamespace } from './namespace.js';
import type { Ports } from './open-ports.js';
import { entityPolicyReader } from './security/access-policy.js';
import { Authorizer } from './security/authorizer.js';
import { EntraTokens } from './security/entra-token.js';
import type { ActivityStream } from './watch/activity-stream.js';
import { hideSecrets } from './watch/hidden-secrets.js';

/** A connection with more links, and a namespace with more connections, is refused by the service too (LIM-06). */
const AZURE_CLIENT_LIMITS = { maxConnections: 5000, maxLinks: 4999 };

/** The file beside the certificates that lets tokens outlive the process. */
const TOKEN_KEY_FILE = 'token-key.pem';

/** The ports once they are open, for the control interface. */
export type OpenPorts = { ports: Partial<Ports> };

/** Undefined without the option. All front ends of a namespace share it. */
export function autoCreateFor(engine: Engine, options: EmulatorOptions): AutoCreate | undefined {
  if (options.autoCreate !== true) return undefined;
  const ask = (command: Command) => engine.ask(command);
  return new AutoCreate({
    ask,
    warn: (text) => options.log?.('warn', text),
    similarTo: sharedSuggestions(ask),
    maxMessageSizeBytes: brokerOptions(options).limits.maxMessageSizeBytes,
  });
}

/** Issues and verifies the tokens of all namespaces. */
export function entraTokensOf(options: EmulatorOptions): EntraTokens {
  const { directory } = certificateOptions(options);
  return new EntraTokens({
    ...(directory === undefined ? {} : { keyFile: join(directory, TOKEN_KEY_FILE) }),
    warn: (text) => options.log?.('warn', text),
  });
}

/** Makes the authorizer that all front ends of a namespace share. */
export function authorizerFor(
  engine: Engine,
  options: EmulatorOptions,
  entraTokens: EntraTokens,
): Authorizer {
  const { auth = 'any', policies, log = () => {} } = options;
  return new Authorizer({
    mode: auth,
    ...(policies === undefined ? {} : { policies }),
    entityPolicies: entityPolicyReader((command) => engine.ask(command)),
    entraTokens,
    onHint: (hint) => log('warn', hideSecrets(hint)),
  });
}

/** The parts that the front ends of all namespaces share. */
export type Shared = {
  readonly guids: SystemGuids;
  readonly budget: ByteBudget;
  readonly entraTokens: EntraTokens;
};

export function amqpServer(
  namespaces: AmqpNamespaces,
  options: EmulatorOptions,
  { guids, budget }: Shared,
): AmqpServer {
  const { log = () => {}, logLevel } = options;
  const { engine, authorizer, autoCreate, activity } = namespaces.default;
  return new AmqpServer(engine, {
    namespaces,
    budget,
    onFrame: logLevel === 'trace' ? (text, frame) => log('trace', text, frame) : undefined,
    product: 'Jitney',
    version: ownVersion(),
    nextGuid: () => guids.next(),
    nudges: true,
    ...(authorizer && { authorizer }),
    autoCreate,
    idleTimeouts: chooseIdleTimeouts(options, { azure: AZURE_IDLE_TIMEOUTS, off: NO_IDLE_TIMEOUTS }),
    jms: jmsOptions(options),
    spansEntities: !brokerOptions(options).limits.hasOneEntityTransactions,
    ...(options.limits === 'none' ? { allowsSlowMessages: true } : AZURE_CLIENT_LIMITS),
    onHint: clientRefused(options, activity),
    onFault: (fault) => log('error', `A fault of the emulator closed a connection: ${faultText(fault)}`),
  });
}

/** The default tier serves JMS 2.0; one that was chosen does so only if it is Premium (JMS-04). */
function jmsOptions(
  options: EmulatorOptions,
): NonNullable<ConstructorParameters<typeof AmqpServer>[1]['jms']> {
  const { jms: choice = 'azure', tier = 'premium', settingOrigins } = options;
  const { maxMessageSizeCeilingBytes: maxMessageSizeBytes } = brokerOptions(options).limits;
  const isChosen = settingOrigins?.tier !== 'default';
  return { choice, isBeyondTier: isChosen && tier !== 'premium', maxMessageSizeBytes };
}

export function httpContext(
  { options, engine, authorizer, activity, autoCreate, faults }: RunningNamespace,
  { guids, budget, entraTokens }: Shared,
): HttpContext {
  const { log = () => {}, tier = 'standard', tokenEndpoint = 'on' } = options;
  return {
    authorizer,
    activity,
    autoCreate,
    faults,
    budget,
    ...(tokenEndpoint === 'on' ? { entraTokens } : {}),
    engine,
    nextGuid: () => guids.next(),
    startedTime: new Date(),
    tier,
    limits: brokerOptions(options).limits,
    onFault: (fault) => log('error', `A fault of the emulator failed a request: ${faultText(fault)}`),
  };
}

export function controlContext(
  namespace: RunningNamespace,
  opened: OpenPorts,
  { namespaces, stop }: Pick<ControlContext, 'namespaces' | 'stop'>,
): ControlContext | undefined {
  const { name, options, activity, connections, faults } = namespace;
  const { clock, snapshots } = namespace.parts;
  const { control = true, allowedOrigins = [] } = options;
  if (!control) return undefined;
  return {
    version: ownVersion(),
    namespace: name,
    namespaces,
    activity,
    searches: new Searches(),
    connections,
    resetEntities: () => namespace.resetEntities(),
    clock,
    faults,
    snapshots,
    stop,
    ports: () => opened.ports,
    settings: shownOptions(options),
    settingOrigins: options.settingOrigins,
    start: startPage(options, name),
    isReadOnlyPage: options.ui === 'read-only',
    isOpenToOrigins: allowedOrigins.includes(CONTROL_ORIGIN),
  };
}

/** The directory of the page's files; undefined without a page. */
export function pageDirectory({ ui = 'on', control = true }: EmulatorOptions): string | undefined {
  return ui === 'off' || !control ? undefined : packageFile('dist/dashboard');
}

/**
 * Whether somebody will open the page. A test that starts an emulator and gives it neither a log nor the option `ui` does not: then
 * nothing is recorded before the first call of the control interface.
 */
export function isPageExpected(options: EmulatorOptions): boolean {
  const isChosen = options.ui !== undefined || options.log !== undefined;
  return isChosen && pageDirectory(options) !== undefined;
}

/** `namespace`: the one that the connection string chooses. */
export function startPage(options: EmulatorOptions, namespace?: string): StartPage {
  const { host = 'localhost', auth = 'any', tls = 'on', cert } = options;
  const policy = clientPolicy(options.policies);
  // With `--auth any` every key works, so we print the default key and never a configured one.
  const shown = { ...policy, primaryKey: auth === 'strict' ? '<key>' : clientPolicy().primaryKey };
  return {
    version: ownVersion(),
    connectionString: (host, port) => formatConnectionString(host, port, [shown], namespace),
    maskedPolicy: auth === 'strict' ? policy.keyName : undefined,
    host,
    hasAuthority: tls === 'on' && cert === undefined,
  };
}

/** Reports a client that was refused before it became a connection. */
export function clientRefused(
  { log }: EmulatorOptions,
  activity: ActivityStream | undefined,
): (text: string) => void {
  return (text) => {
    log?.('warn', hideSecrets(text));
    activity?.add({ kind: 'client-refused', text });
  };
}
