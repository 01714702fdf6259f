// Reads the manifest of .NET Aspire, whose early versions list the queues and topics of a Service Bus.

import { type Path, readAllParts, shown, ValueError } from '../description/value-error.js';
import { type PlacedResource, resourceName } from './azure-resource.js';
import type { Definitions } from './definitions.js';
import { entitiesOf } from './entities-of.js';
import { isJsonObject, type JsonObject } from './json-object.js';

const SERVICE_BUS = 'azure.servicebus.v0';
const BICEP = /^azure\.bicep\.v\d+$/;

/** Throws a ValueError with all problems, each with its place. */
export function readAspireManifest({ resources }: JsonObject): Definitions {
  const entries = Object.entries(isJsonObject(resources) ? resources : {}).filter(([, one]) =>
    isJsonObject(one),
  );
  const all = entries as [string, JsonObject][];
  const buses = all.filter(([, { type }]) => type === SERVICE_BUS);
  if (buses.length === 0) throw new ValueError(modulesOf(all));
  const found = readAllParts(
    buses.flatMap(([name, bus]) =>
      (['queues', 'topics'] as const).map((key) => () => entitiesIn(bus[key], key, ['resources', name, key])),
    ),
  );
  const { queues, topics, notes } = entitiesOf(found.flat());
  const others = all.length - buses.length;
  return {
    queues,
    topics,
    notes: [...notes, ...(others === 0 ? [] : [`left out: ${others} other resources`])],
  };
}

/** Names the Bicep modules, in which newer versions describe the entities. */
function modulesOf(resources: readonly (readonly [string, JsonObject])[]): string {
  const modules = resources
    .filter(([, { type }]) => BICEP.test(String(type)))
    .map(([, { path }]) => String(path));
  if (modules.length === 0) return 'has no Service Bus';
  return `names its Service Bus only by a module in Bicep. Build the right one of ${modules.join(', ')}: az bicep build --file <module> --stdout | jitney import -`;
}

function entitiesIn(given: unknown, key: 'queues' | 'topics', path: Path): PlacedResource[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new ValueError([{ path, text: `must be a list, not ${shown(given)}` }]);
  return given.flatMap((entry, index) => {
    const place = [...path, index];
    const name = isJsonObject(entry) ? entry.name : entry;
    if (typeof name !== 'string') {
      throw new ValueError([{ path: place, text: `must be a name, not ${shown(entry)}` }]);
    }
    const own = { properties: {}, path: place, pathOf: () => place };
    const subscriptions =
      isJsonObject(entry) && Array.isArray(entry.subscriptions) ? entry.subscriptions : [];
    const topic = resourceName(name);
    return [
      { kind: key === 'queues' ? ('queue' as const) : ('topic' as const), names: [topic], ...own },
      ...subscriptions.map((one) => ({ kind: 'subscription' as const, names: [topic, String(one)], ...own })),
    ];
  });
}
