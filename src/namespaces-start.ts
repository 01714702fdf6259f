// Starts the namespaces of an emulator, each with the entities and messages that it begins with: those of its own, or those of `default`.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConfiguredEntities, collectEntities } from './config/configured-entities.js';
import { type GivenNamespace, listNamespaces, refusePoliciesOfNone } from './config/given-namespaces.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { ANY_NAMESPACE, DEFAULT_NAMESPACE, isNamespaceName } from './description/namespace-name.js';
import type { SystemGuids } from './engine/system-guids.js';
import { startRealTimer } from './engine/timer.js';
import { checkContent, type StartContent, type Undo } from './engine-start.js';
import type { FrontEnds } from './front-ends.js';
import { JitneyError } from './jitney-error.js';
import { JOURNAL_FOLDER } from './journal/data-directory.js';
import { directoryOf, NAMESPACES_FOLDER, optionsFor, startNamespace } from './namespace-start.js';
import { Namespaces } from './namespaces.js';
import { HeldPorts } from './open-ports.js';
import type { ShownKey } from './security/access.js';
import { Authorizer } from './security/authorizer.js';
import type { EntraTokens } from './security/entra-token.js';
import type { Seed } from './seeds.js';

type Content = { readonly entities: ConfiguredEntities; readonly seeds: readonly Seed[] };

type Context = { readonly guids: SystemGuids; readonly entraTokens: EntraTokens; readonly teardown: Undo[] };

type StartedNamespaces = {
  readonly namespaces: Namespaces;
  /** The ports that are open already. */
  readonly held: HeldPorts;
  /** Starts all but `default`, which a port of their own may need the front ends for. */
  readonly startOthers: (frontEnds: FrontEnds) => Promise<void>;
};

/** Starts `default`. Throws the JitneyError that refuses the start. */
export async function startNamespaces(
  options: EmulatorOptions,
  content: Content,
  { teardown, ...shared }: Context,
): Promise<StartedNamespaces> {
  const list = listNamespaces(options.namespaces);
  const others = await namespacesToStart(options, content.entities, list.named);
  refusePoliciesOfNone(options.policies, { named: others, takesAny: list.takesAny });
  const contentOf = (given: GivenNamespace) => contentFor(given, options, content);
  // A start that is refused for the entities of one namespace must not reset or change another.
  for (const given of others) {
    const own = await contentOf(given);
    if (own.entities === content.entities) continue;
    await checkContent(options, own, shared.guids).catch((error: unknown) => {
      throw withNamespace(error, given.name);
    });
  }
  const { dataDirectory, reset = false } = options;
  // Nor for the format of one.
  if (dataDirectory !== undefined && !reset) {
    const { checkFormat } = await import('./journal/open-journal.js');
    for (const { name } of others) await checkFormat(join(directoryOf(dataDirectory, name), JOURNAL_FOLDER));
  }
  const first = {
    name: DEFAULT_NAMESPACE,
    options: optionsFor(options, { name: DEFAULT_NAMESPACE }),
    content,
  };
  const held = new HeldPorts();
  teardown.push(() => held.close());
  const tryPorts = () => held.open(options);
  let frontEnds: FrontEnds | undefined;
  const namespaces = new Namespaces({
    default: await startNamespace(first, { ...shared, tryPorts }),
    takesAny: list.takesAny,
    refusalOf: (name, key) => keyRefusal(optionsFor(options, { name }), key, shared.entraTokens),
    start: async (given, isKept) => {
      const { dataDirectory: _, ...inMemory } = options;
      const own = optionsFor(isKept ? options : inMemory, given);
      const toStart = { name: given.name, options: own, content: await contentOf(given) };
      return startNamespace(toStart, shared).catch((error: unknown) => {
        throw withNamespace(error, given.name);
      });
    },
    openPort: async (namespace, port) => frontEnds?.openPort(namespace, port) ?? port,
    closePort: async (port) => frontEnds?.closePort(port),
    discard: (name) => discard(options, name),
    startTimer: startRealTimer,
    onHint: (text) => options.log?.('warn', text),
  });
  teardown.push(() => namespaces.stop());
  return {
    namespaces,
    held,
    startOthers: async (opened) => {
      frontEnds = opened;
      await Promise.all(others.map((given) => namespaces.add(given)));
    },
  };
}

/** The namespaces of the option, of the config file, and of earlier starts, each once. */
async function namespacesToStart(
  { dataDirectory }: EmulatorOptions,
  { namespaces }: ConfiguredEntities,
  named: readonly GivenNamespace[],
): Promise<readonly GivenNamespace[]> {
  const all = new Map<string, GivenNamespace>();
  for (const name of await storedNamespaces(dataDirectory)) all.set(name, { name });
  for (const { name } of namespaces) all.set(name, { name });
  for (const given of named) all.set(given.name, given);
  return [...all.values()];
}

/** The namespaces that the data directory has besides `default`. No namespace has made a folder with another name, so it is left alone. */
async function storedNamespaces(dataDirectory: string | undefined): Promise<readonly string[]> {
  if (dataDirectory === undefined) return [];
  const folder = join(dataDirectory, NAMESPACES_FOLDER);
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory() && isFolderName(entry.name)).map(({ name }) => name);
}

/** Whether a namespace can have this folder: it has its name in lower case. */
function isFolderName(name: string): boolean {
  const isReserved = name === ANY_NAMESPACE || name === DEFAULT_NAMESPACE;
  return isNamespaceName(name) && name === name.toLowerCase() && !isReserved;
}

/** Without entities of its own, a namespace begins as `default` does. Throws a JitneyError. */
async function contentFor(
  { name, queues, topics }: GivenNamespace,
  { tier, limits }: EmulatorOptions,
  { entities, seeds }: Content,
): Promise<StartContent> {
  if (queues !== undefined || topics !== undefined) {
    return { entities: await collectEntities({ queues, topics, tier, limits }), seeds: [] };
  }
  const own = entities.namespaces.find((each) => each.name === name);
  return own === undefined ? { entities, seeds } : { entities: own, seeds: [] };
}

/** With `--auth strict`, only a key of a namespace that is to be made can make it. Whether it opens anything there is checked afterwards. */
async function keyRefusal(
  { auth, policies }: EmulatorOptions,
  key: ShownKey | undefined,
  entraTokens: EntraTokens,
): Promise<string | undefined> {
  if (auth !== 'strict') return undefined;
  const authorizer = new Authorizer({
    mode: auth,
    ...(policies && { policies }),
    entityPolicies: async () => [],
    entraTokens,
    onHint: () => {},
  });
  const { keyName = '', token = '', password } = key ?? {};
  const outcome =
    password === undefined
      ? await authorizer.check({ token }, Date.now())
      : authorizer.checkKey(keyName, password);
  return outcome.kind === 'claim' ? undefined : outcome.text;
}

/** Names the namespace in place of a location, because locations are those of the entities of `default`. */
function withNamespace(error: unknown, name: string): unknown {
  if (!(error instanceof JitneyError) || error.refused === undefined) return error;
  const { kind, message, problems, cause } = error;
  return new JitneyError(kind, `In the namespace '${name}': ${message}`, { problems, cause });
}

async function discard({ dataDirectory }: EmulatorOptions, name: string): Promise<void> {
  if (dataDirectory === undefined) return;
  const { removePutAside, resetDirectory } = await import('./journal/reset-directory.js');
  const directory = directoryOf(dataDirectory, name);
  const journal = join(directory, JOURNAL_FOLDER);
  await resetDirectory(journal);
  await removePutAside(journal);
  await rm(directory, { recursive: true, force: true });
}
