// Runs `jitney import`, `jitney export` and `jitney diff`.

import { writeFile } from 'node:fs/promises';
import { readSettings, type Settings } from '../../config/settings.js';
import { compareDefinitions } from '../../definitions/compare.js';
import type { Definitions, ExportFormat } from '../../definitions/definitions.js';
import { isImplied } from '../../definitions/resources-of.js';
import { writeDefinitions } from '../../definitions/write-definitions.js';
import { JitneyError } from '../../jitney-error.js';
import { entityCounts } from '../output/entity-counts.js';
import { printError } from '../output/error-report.js';
import { countOf, createLog, type Write } from '../output/output.js';
import type { DefinitionRequest } from './definition-commands.js';
import { type NamedDefinitions, openSource, type SourceContext } from './definition-source.js';

export type DefinitionContext = SourceContext & { readonly stdout: Write };

const DIFFERENT = 1;

/** Resolves with the exit code: 1 if the two of a diff differ, or on an error. */
export async function runDefinitionCommand(
  request: DefinitionRequest,
  context: DefinitionContext,
): Promise<number> {
  const { environment, stderr } = context;
  let settings: Settings | undefined;
  try {
    const { connectionString, namespace, ...flags } = request.flags;
    settings = readSettings(flags, environment);
    const options = { flags, settings, connectionString, namespace };
    const open = (source: string | undefined) => openSource(source, options, context);
    switch (request.name) {
      case 'import':
        await write(await open(request.source), 'config', request.output, { context, settings });
        return 0;
      case 'export':
        await write(await open(request.source), request.format, request.output, { context, settings });
        return 0;
      case 'diff':
        return diff(await open(request.a), await open(request.b), context.stdout);
      default:
        return request satisfies never;
    }
  } catch (error) {
    return printError(error, settings, { stderr, command: request.name });
  }
}

type Where = { readonly context: DefinitionContext; readonly settings: Settings };

async function write(
  { definitions }: NamedDefinitions,
  format: ExportFormat,
  output: string | undefined,
  { context, settings }: Where,
): Promise<void> {
  const { text, notes } = writeDefinitions(definitions, format);
  const log = createLog(settings.logLevel, context.stderr);
  for (const note of [...definitions.notes, ...notes]) log.warn(sentence(note));
  if (output === undefined) return context.stdout(text);
  try {
    await writeFile(output, text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new JitneyError('output-unwritable', `${output} cannot be written: ${why}`, { cause });
  }
  context.stdout(`${output} has ${entityCounts(withoutImplied(definitions))}\n`);
}

/** Without the rules that are not written, because a new subscription gets them. */
function withoutImplied({ queues, topics }: Definitions): Pick<Definitions, 'queues' | 'topics'> {
  return {
    queues,
    topics: topics.map((topic) => ({
      ...topic,
      subscriptions: topic.subscriptions.map((one) =>
        isImplied(one.rules ?? []) ? { ...one, rules: undefined } : one,
      ),
    })),
  };
}

function sentence(note: string): string {
  // A note that begins with its place in a file is whole.
  if (/^\S+:\d+:\d+ /.test(note)) return note;
  return `${note.charAt(0).toUpperCase()}${note.slice(1)}${note.endsWith('.') ? '' : '.'}`;
}

function diff(a: NamedDefinitions, b: NamedDefinitions, stdout: Write): number {
  const names = { a: a.name, b: a.name === b.name ? `the other ${b.name}` : b.name };
  const lines = compareDefinitions(a.definitions, b.definitions, names);
  if (lines.length === 0) {
    stdout(`${names.a} and ${names.b} are the same\n`);
    return 0;
  }
  stdout([...lines, countOf(lines.length, 'difference'), ''].join('\n'));
  return DIFFERENT;
}
