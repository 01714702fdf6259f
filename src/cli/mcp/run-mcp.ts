// `jitney mcp`: serves the looks and acts of the control interface as tools of the Model Context Protocol, over standard input and output.

import type { Readable, Writable } from 'node:stream';
import { readSettings, type Settings } from '../../config/settings.js';
import { EventStream } from '../../watch/event-stream.js';
import { ControlClient } from '../control/control-client.js';
import { type AddressFlags, findEmulator } from '../control/emulator-address.js';
import type { AskRunning } from '../control/running-authority.js';
import type { CommandContext } from '../output/command-context.js';
import { printError, reportOf } from '../output/error-report.js';
import { type Arguments, type ControlTool, controlTools } from './control-tools.js';
import { loadSdk } from './load-sdk.js';

type McpContext = Pick<CommandContext, 'environment' | 'stderr' | 'whenEnded'> & {
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly askRunning: AskRunning;
};

const INSTRUCTIONS = `Jitney is an emulator of Azure Service Bus on this machine. An entity is a path such as orders,
orders/$DeadLetterQueue or events/Subscriptions/audit. get_entities shows all with their counts, get_causes what needs a look,
and get_history what happened to a message and why.`;

/** Resolves with the exit code, when the client has gone. The emulator may come and go meanwhile. */
export async function runMcp(
  { isWriting }: { readonly isWriting: boolean },
  flags: AddressFlags,
  context: McpContext,
): Promise<number> {
  const { version, environment, askRunning, input, output, stderr } = context;
  let settings: Settings | undefined;
  try {
    settings = readSettings(flags, environment);
    const client = await ControlClient.open(findEmulator(settings, flags, environment), askRunning);
    const { Server, StdioServerTransport, types } = loadSdk();
    // It brings zod, which the other commands of the same file do without.
    const { openApi } = await import('../../http/control/openapi.js');
    const tools = new Map(controlTools(openApi(version), isWriting).map((tool) => [tool.name, tool]));
    const server = new Server(
      { name: 'jitney', version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler(types.ListToolsRequestSchema, () => ({
      tools: [...tools.values()].map(({ call, ...tool }) => tool),
    }));
    server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) =>
      answer(tools.get(params.name), params.arguments ?? {}, { client, name: params.name }),
    );
    const clientGone = new Promise<number>((resolve) => input.once('end', () => resolve(0)));
    await server.connect(new StdioServerTransport(input, output));
    const exitCode = await Promise.race([clientGone, context.whenEnded()]);
    await server.close();
    return exitCode;
  } catch (error) {
    return printError(error, settings, { stderr, command: 'mcp' });
  }
}

type Caller = { readonly client: ControlClient; readonly name: string };

/** An error is an answer too, so that the assistant can do what it says. */
async function answer(tool: ControlTool | undefined, given: Arguments, { client, name }: Caller) {
  if (tool === undefined)
    return failure(`There is no tool '${name}'; those that change something need --write.`);
  try {
    const { isStream, ...call } = tool.call(given);
    const value = isStream ? eventsIn(await client.read(call)) : await client.call(call);
    return { content: [{ type: 'text' as const, text: JSON.stringify(value) }] };
  } catch (error) {
    const { code, message, help } = reportOf(error);
    return failure([`${code}  ${message}`, ...help].join('\n'));
  }
}

function failure(text: string) {
  return { isError: true, content: [{ type: 'text' as const, text }] };
}

function eventsIn(bytes: Uint8Array): object {
  const events = new EventStream().read(Buffer.from(bytes).toString());
  const dataOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ data }) => JSON.parse(data));
  return { hits: dataOf('hit'), end: dataOf('end')[0] };
}
