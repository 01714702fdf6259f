// Reads a namespace from the text of a file, whatever kind of file it is.

import { readConfigText } from '../config/config-text.js';
import type { Entities } from '../config/configured-entities.js';
import { LocatedJson } from '../config/located-json.js';
import { ValueError } from '../description/value-error.js';
import { JitneyError } from '../jitney-error.js';
import { readArmTemplate } from './arm-template.js';
import { readAspireManifest } from './aspire-manifest.js';
import type { PlacedResource } from './azure-resource.js';
import type { Definitions } from './definitions.js';
import { entitiesOf } from './entities-of.js';
import { isJsonObject, type JsonObject } from './json-object.js';
import { readTerraformConfiguration } from './terraform-configuration.js';
import { readTerraformState } from './terraform-state.js';

export type DefinitionText = {
  /** The path of the file, with which each place begins. */
  readonly name: string;
  readonly text: string;
};

type Options = {
  readonly parameters?: DefinitionText | undefined;
  /** The namespace to read when a template has several. */
  readonly namespace?: string | undefined;
};

const KINDS =
  'a Config.json, an ARM template (also what az bicep build prints), what terraform show -json prints, a .tf.json, or the manifest of Aspire';

/** Throws a JitneyError that lists all problems with their places. */
export function readDefinitions(given: DefinitionText, options: Options = {}): Definitions {
  const { name } = given;
  if (/\.(bicep|bicepparam|tf|tfvars)$/i.test(name)) throw refused(name, [adviceFor(name)]);
  const json = parsedJson(given);
  const { value } = json;
  if (isJsonObject(value) && 'UserConfig' in value) return readConfig(given);
  return locating(name, json, () => {
    if (!isJsonObject(value)) throw new ValueError(`must be ${KINDS}`);
    return readTemplate(value, options);
  });
}

function readConfig({ name, text }: DefinitionText): Definitions {
  const { queues, topics, warnings } = readConfigText({ name, text, isFile: true });
  return { queues, topics, notes: warnings };
}

function readTemplate(value: JsonObject, { parameters, namespace }: Options): Definitions {
  if (isJsonObject(value.planned_values) || isJsonObject(value.values) || 'terraform_version' in value) {
    return entitiesWith(readTerraformState(value));
  }
  if (isJsonObject(value.resource)) return entitiesWith(readTerraformConfiguration(value));
  if (isAspire(value)) return readAspireManifest(value);
  if ('resources' in value) {
    const given = parameters && parsedJson(parameters).value;
    return entitiesWith(readArmTemplate(value, { parameters: given, namespace }));
  }
  throw new ValueError(`is none of the files that can be read: ${KINDS}`);
}

function entitiesWith(read: {
  readonly resources: readonly PlacedResource[];
  readonly notes: readonly string[];
}) {
  const { queues, topics, notes } = entitiesOf(read.resources);
  return { queues, topics, notes: [...notes, ...read.notes, ...noteOnNone({ queues, topics })] };
}

function noteOnNone({ queues, topics }: Entities): string[] {
  return queues.length + topics.length > 0 ? [] : ['no queue and no topic was found'];
}

function isAspire({ $schema, resources }: JsonObject): boolean {
  if (typeof $schema === 'string') return /aspire/i.test($schema);
  return (
    isJsonObject(resources) &&
    Object.values(resources).every((one) => isJsonObject(one) && /\.v\d+$/.test(String(one.type)))
  );
}

function parsedJson({ name, text }: DefinitionText): LocatedJson {
  // Some editors, and PowerShell's redirection, write a byte order mark.
  const json = new LocatedJson(text.replace(/^\uFEFF/, ''), 'the file');
  if (json.syntaxError !== undefined) throw refused(name, [`${name}:${json.syntaxError}`]);
  return json;
}

function locating(name: string, json: LocatedJson, read: () => Definitions): Definitions {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw refused(
      name,
      json.locateAll(error.problems).map((line) => `${name}:${line}`),
      error,
    );
  }
}

function refused(name: string, problems: readonly string[], cause?: unknown): JitneyError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new JitneyError('definitions-invalid', `${name} has ${count}`, { problems, cause });
}

function adviceFor(name: string): string {
  if (/\.bicep$/i.test(name))
    return `Bicep is read as ARM: az bicep build --file ${name} --stdout | jitney import -`;
  if (/\.bicepparam$/i.test(name)) return `Parameters are read as JSON: az bicep build-params --file ${name}`;
  return 'Terraform is read as JSON: terraform show -json | jitney import -';
}
