// The commands for definitions as commander sees them, with their help: import, export and diff.

import { type Command, Option } from 'commander';
import type { Flags } from '../../config/environment.js';
import { OPTIONS } from '../../config/options/option-table.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../definitions/definitions.js';

type SourceFlags = Flags & {
  readonly connectionString?: string;
  readonly namespace?: string;
};

/** Where the text goes; without a file to standard output. `isForced` allows to overwrite a file. */
export type OutputFile = { readonly file: string | undefined; readonly isForced: boolean };

export type DefinitionRequest = { readonly flags: SourceFlags } & (
  | { readonly name: 'import'; readonly source: string; readonly output: OutputFile }
  | {
      readonly name: 'export';
      readonly source: string | undefined;
      readonly format: ExportFormat;
      readonly output: OutputFile;
    }
  | { readonly name: 'diff'; readonly a: string; readonly b: string | undefined }
);

type GivenFlags = SourceFlags & {
  readonly output?: string;
  readonly force?: boolean;
  readonly format?: ExportFormat;
};

const SOURCES = `
A source is a file, - for standard input, or the connection string of Azure or of a Jitney. A file is a Config.json, an
ARM template, what "az bicep build --stdout" or "terraform show -json" prints, a .tf.json, or a manifest of .NET Aspire.`;
const RUNNING = `
Without a source, it is the service that --connection-string, --port, JITNEY_PORT or SERVICEBUS_CONNECTION_STRING names,
the first of these that is given, or else the emulator on port ${OPTIONS.port.default} of this machine.`;

const IMPORT_EXAMPLES = `${SOURCES}
What a Config.json cannot hold is said on standard error. "jitney --import <source>" starts from a source at once.

Examples:
  jitney import main.json --parameters main.parameters.json --output Config.json
  az bicep build --file main.bicep --stdout | jitney import - > Config.json
  jitney import "$AZURE_CONNECTION_STRING" --output Config.json
`;
const EXPORT_EXAMPLES = `${SOURCES}${RUNNING}
Only what differs from Azure's defaults is written; keys never are. What the format cannot hold is said on standard error.

Examples:
  jitney export --format bicep --output main.bicep
  jitney export --format config > Config.json
  jitney export Config.json --format terraform --output main.tf.json
`;
const DIFF_EXAMPLES = `${SOURCES}${RUNNING}
It exits with 0 if both are the same, and with 1 if they differ.

Examples:
  jitney diff main.json Config.json
  jitney diff Config.json
  jitney diff main.json "$AZURE_CONNECTION_STRING"
`;

/** Declares the commands on the program; `run` is called for the one that was given. */
export function describeDefinitionCommands(
  program: Command,
  run: (request: DefinitionRequest) => Promise<void>,
): void {
  withOutput(withSource(program.command('import')))
    .description('write a Config.json from a template, a file or a live namespace')
    .argument('<source>', 'a file, - or a connection string')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(async (source: string, _: GivenFlags, command: Command) => {
      const { output, flags } = flagsOf(command);
      await run({ name: 'import', source, output, flags });
    });
  withOutput(withService(withSource(program.command('export'))))
    .description('write the definitions of a namespace as Config.json, Bicep, Terraform or an ARM template')
    .argument('[source]', 'a file, - or a connection string [the running emulator]')
    .addOption(
      new Option(`--format <${EXPORT_FORMATS.join('|')}>`, 'the format')
        .choices(EXPORT_FORMATS)
        .makeOptionMandatory(),
    )
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(async (source: string | undefined, _: GivenFlags, command: Command) => {
      const { output, format = 'config', flags } = flagsOf(command);
      await run({ name: 'export', source, format, output, flags });
    });
  withService(withSource(program.command('diff')))
    .description('compare two namespaces: exit with 1, and a list, if they differ')
    .argument('<a>', 'a file, - or a connection string')
    .argument('[b]', 'another one [the running emulator]')
    .addHelpText('after', DIFF_EXAMPLES)
    .action(async (a: string, b: string | undefined, _: GivenFlags, command: Command) => {
      await run({ name: 'diff', a, b, flags: flagsOf(command).flags });
    });
}

/** The program reads the parameters, which a start has too, in any position; they are declared here only for the help. */
function withSource(command: Command): Command {
  return command
    .allowExcessArguments(false)
    .option('--parameters <file>', 'values for the parameters of an ARM template')
    .option('--namespace <name>', 'the namespace to read, if a template has several');
}

function withOutput(command: Command): Command {
  return command
    .option('--output <file>', 'where to write it [standard output]')
    .option('--force', 'overwrite the file');
}

/** The program reads the port and the host in any position; they are declared here only for the help. */
function withService(command: Command): Command {
  return command
    .option('--port <n>', `the port of the running emulator [${OPTIONS.port.default}]`)
    .option('--host <address>', `where it listens [${OPTIONS.host.default}]`)
    .option('--connection-string <text>', 'the connection string of the service, in place of a port');
}

function flagsOf(command: Command) {
  const { output: file, force = false, format, ...flags } = command.optsWithGlobals<GivenFlags>();
  return { output: { file, isForced: force }, format, flags };
}
