// The namespaces of an emulator besides `default`: as an option names them, and what each begins with.

import {
  ANY_NAMESPACE,
  DEFAULT_NAMESPACE,
  readNamespaceName,
  splitKeyName,
} from '../description/namespace-name.js';
import { JitneyError } from '../jitney-error.js';
import type { GivenPolicy, GivenQueue, GivenTopic } from './given-entities.js';
import { isText, mustBe, PORT, refusing } from './options/option-types.js';
import { POLICIES } from './policy-spec.js';
import { splitList } from './setting-readers.js';

/** A namespace as an object, such as `{ name: 'tests-1', queues: ['orders'] }`. */
export type GivenNamespace = {
  /** 1 to 50 letters, digits, hyphens and underscores; case does not count. */
  readonly name: string;
  /** Its queues. Without `queues` and `topics` it begins as `default` does: with the entities and messages of the start. */
  readonly queues?: readonly (string | GivenQueue)[];
  /** Its topics. */
  readonly topics?: readonly (string | GivenTopic)[];
  /** Its shared access policies. Default: those of the start. */
  readonly policies?: readonly GivenPolicy[];
  /** A port of its own, for clients without a key, such as those with an Entra token; 0 takes a free one. Default: none. */
  readonly port?: number;
};

/** The option in its parts: which there are, and whether a client may name any other. */
export type NamespaceList = { readonly named: readonly GivenNamespace[]; readonly takesAny: boolean };

const KEYS: readonly string[] = ['name', 'queues', 'topics', 'policies', 'port'];
const EXPECTED = "an array of names or objects such as { name: 'tests-1', queues: ['orders'] }";

export const NAMESPACES = {
  given: 'text',
  typescript: 'readonly (string | GivenNamespace)[]',
  read: (list: string): readonly (string | GivenNamespace)[] => splitList(list).map(readNamespaceName),
  missing: [] as readonly (string | GivenNamespace)[],
  check: checkNamespaces,
  show: (namespaces: readonly (string | GivenNamespace)[]) =>
    namespaces.length === 0 ? null : namespaces.map(nameOf).join(','),
} as const;

/** Splits the option into its parts. `default` is always there, so it is left out. */
export function listNamespaces(given: readonly (string | GivenNamespace)[] = []): NamespaceList {
  const objects = given.map((each) => (typeof each === 'string' ? { name: each } : each));
  const all = objects.map((each) => ({ ...each, name: each.name.toLowerCase() }));
  const named = all.filter(({ name }) => name !== ANY_NAMESPACE && name !== DEFAULT_NAMESPACE);
  return { named, takesAny: all.some(({ name }) => name === ANY_NAMESPACE) };
}

/** Checks a namespace that a program names while the emulator runs. Throws a JitneyError. */
export function checkNamespace(given: GivenNamespace): void {
  if (!isObject(given)) throw new JitneyError('bad-option', `a namespace must be an object, not ${given}`);
  refuseUnknownKeys(given);
  const { name, queues, topics, policies, port } = given;
  checkName(name);
  if (queues !== undefined) mustBe('an array', Array.isArray)(`queues of '${name}'`, queues);
  if (topics !== undefined) mustBe('an array', Array.isArray)(`topics of '${name}'`, topics);
  if (policies !== undefined) POLICIES.check(`policies of '${name}'`, policies);
  if (port !== undefined) PORT.check(`port of '${name}'`, port);
}

/**
 * The policies of a namespace: those whose name ends with `@` and its name, or else those whose name has no namespace. Undefined for the
 * well-known policy.
 */
export function policiesFor(
  policies: readonly GivenPolicy[] | undefined,
  namespace: string,
): readonly GivenPolicy[] | undefined {
  const of = (wanted: string | undefined) =>
    (policies ?? []).flatMap((given): GivenPolicy[] => {
      const { policy: keyName, namespace: chosen } = splitKeyName(given.keyName);
      return chosen === wanted ? [{ ...given, keyName }] : [];
    });
  return [of(namespace), of(undefined)].find((each) => each.length > 0);
}

/** Refuses a policy for a namespace that is not there. */
export function refusePoliciesOfNone(
  policies: readonly GivenPolicy[] = [],
  { named, takesAny }: NamespaceList,
): void {
  const names = [DEFAULT_NAMESPACE, ...named.map(({ name }) => name)];
  for (const { keyName } of policies) {
    const { namespace = DEFAULT_NAMESPACE } = splitKeyName(keyName);
    if (takesAny || names.includes(namespace)) continue;
    const text = `the policy '${keyName}' is for the namespace '${namespace}', which is not there: name it in --namespaces, in code namespaces`;
    throw new JitneyError('bad-option', text);
  }
}

function checkNamespaces(option: string, given: unknown): void {
  mustBe(EXPECTED, Array.isArray)(option, given);
  const names = new Set<string>();
  for (const each of Array.isArray(given) ? given : []) {
    if (typeof each === 'string') checkName(each);
    else checkNamespace(each);
    const name = nameOf(each).toLowerCase();
    if (names.has(name)) {
      throw new JitneyError('bad-option', `${option} has '${name}' twice: case does not count`);
    }
    names.add(name);
  }
}

function checkName(name: unknown): void {
  refusing('bad-option', 'each of namespaces', () => readNamespaceName(isText(name) ? name : ''));
}

function refuseUnknownKeys(given: object): void {
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown === undefined) return;
  throw new JitneyError('bad-option', `a namespace has no option '${unknown}': it has ${KEYS.join(', ')}`);
}

function nameOf(given: string | GivenNamespace): string {
  return typeof given === 'string' ? given : given.name;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
