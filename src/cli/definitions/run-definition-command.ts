// Runs `jitney import`, `jitney export` and `jitney diff`.

import { readSettings, type Settings } from '../../config/settings.js';
import { isConnectionString } from '../../config/shown-source.js';
import { compareDefinitions } from '../../definitions/compare.js';
import type { Definitions, ExportFormat } from '../../definitions/definitions.js';
import { isImplied } from '../../definitions/resources-of.js';
import { writeDefinitions } from '../../definitions/write-definitions.js';
import { UNSHOWN_CONNECTION } from '../control/target-options.js';
import { entityCounts } from '../output/entity-counts.js';
import { printError } from '../output/error-report.js';
import { oneLine } from '../output/one-line.js';
import { countOf, createLog, type Write } from '../output/output.js';
import { refuseExistingFile, writeOutputFile } from '../output/output-file.js';
import { shellWord } from '../output/shell-word.js';
import type { DefinitionRequest, OutputFile } from './definition-commands.js';
import { INPUT, type NamedDefinitions, openSource, type SourceContext } from './definition-source.js';

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
    if (request.name !== 'diff' && request.output.file !== undefined)
      await refuseExistingFile(request.output.file, request.output.isForced);
    switch (request.name) {
      case 'import': {
        const opened = await open(request.source);
        await write(opened, 'config', request.output, { context, settings });
        if (request.output.file === undefined) sayPrinted(opened, request, { context, settings });
        return 0;
      }
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

type ImportRequest = Extract<DefinitionRequest, { readonly name: 'import' }>;
type Where = { readonly context: DefinitionContext; readonly settings: Settings };

async function write(
  { definitions }: NamedDefinitions,
  format: ExportFormat,
  { file }: OutputFile,
  { context, settings }: Where,
): Promise<void> {
  const { text, notes } = writeDefinitions(definitions, format);
  const log = createLog(settings.logLevel, context.stderr);
  for (const note of [...definitions.notes, ...notes]) log.warn(sentence(note));
  if (file === undefined) return context.stdout(text);
  await writeOutputFile(file, text);
  context.stdout(`${oneLine(file)} has ${entityCounts(withoutImplied(definitions))}\n`);
}

/** Says on standard error what an import without a file has printed, and how to go on with it. */
function sayPrinted({ definitions }: NamedDefinitions, request: ImportRequest, where: Where): void {
  const { info } = createLog(where.settings.logLevel, where.context.stderr);
  info(`Printed a Config.json with ${entityCounts(withoutImplied(definitions))}.`);
  info('To write it to a file:  --output <file>');
  info(`To start with it:       ${startWith(request, where.settings)}`);
}

/** The start that has the entities of the source; with `--namespace`, which a start has not, by way of the file. */
function startWith({ source, flags }: ImportRequest, { importParameters }: Settings): string {
  if (flags.namespace !== undefined) return 'jitney --config <file>, when it is written';
  const named = isConnectionString(source) ? UNSHOWN_CONNECTION : shellWord(oneLine(source));
  const start = `${source === INPUT.word ? '... | ' : ''}jitney --import ${named}`;
  return importParameters === undefined
    ? start
    : `${start} --parameters ${shellWord(oneLine(importParameters))}`;
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
