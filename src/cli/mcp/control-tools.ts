// The calls of the control interface as tools of the Model Context Protocol, made from the interface's own OpenAPI document.

type Schema = Readonly<Record<string, unknown>>;
type Operation = {
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
};
type Method = 'get' | 'post' | 'put' | 'delete';
/** The document, as far as tools are made from it. */
type Document = {
  readonly paths: Readonly<Record<string, Partial<Readonly<Record<Method, Operation>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export type ControlTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & Schema;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  /** The call that the arguments make. */
  call(given: Arguments): ToolCall;
};

export type Arguments = Readonly<Record<string, unknown>>;
export type ToolCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Whether the answer is a stream of events in place of JSON. */
  readonly isStream: boolean;
};

/** Calls that are no tools: a stream without end, bytes, and the document itself. */
const LEFT_OUT: readonly string[] = ['/events', '/snapshot', '/openapi.json'];
/** It looks, but its message comes in a body. */
const LOOKING_POST = '/rules:test';
const STREAMED = '/search';
const VERBS: Readonly<Record<Method, string>> = { get: 'get', post: 'add', put: 'change', delete: 'delete' };
/** Names that are verbs themselves. */
const ACTS: readonly string[] = ['reset', 'stop', 'search'];
const DESTRUCTIVE = /^(delete|purge|reset|stop|remove|clear|end|move)(_|$)/;
const REFERENCE = '#/components/schemas/';

/** Without `isWriting`, only those that change nothing. */
export function controlTools(document: object, isWriting: boolean): readonly ControlTool[] {
  const { paths, components } = document as Document;
  return Object.entries(paths).flatMap(([path, operations]) => {
    if (LEFT_OUT.includes(path)) return [];
    return Object.entries(operations).flatMap(([method, operation]) => {
      const tool = toolOf(path, method as Method, { operation, schemas: components.schemas });
      return isWriting || tool.annotations.readOnlyHint ? [tool] : [];
    });
  });
}

type Described = { readonly operation: Operation; readonly schemas: Document['components']['schemas'] };

function toolOf(path: string, method: Method, { operation, schemas }: Described): ControlTool {
  const { summary, parameters, requestBody } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const fields = body?.properties as Readonly<Record<string, Schema>> | undefined;
  // A body that may have several forms, such as a message or a list of them, is an argument of its own.
  const whole =
    body !== undefined && fields === undefined && body.type !== 'object' ? path.slice(1) : undefined;
  const inputSchema = {
    type: 'object',
    properties: {
      ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      ...fields,
      ...(whole === undefined ? {} : { [whole]: body }),
    },
    required: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...((body?.required as readonly string[] | undefined) ?? []),
      ...(whole === undefined ? [] : [whole]),
    ],
  } as const;
  const name = nameOf(path, method);
  const isLook = method === 'get' || path === LOOKING_POST;
  return {
    name,
    description: `${summary}.`,
    inputSchema: withDefinitions(inputSchema, schemas),
    annotations: { readOnlyHint: isLook, destructiveHint: !isLook && DESTRUCTIVE.test(name) },
    call: (given) => {
      const inQuery = new Set(parameters.map((parameter) => parameter.name));
      const named = Object.entries(given);
      const query = named.filter(([key]) => inQuery.has(key) && key !== 'id');
      const inBody = Object.fromEntries(named.filter(([key]) => !inQuery.has(key)));
      return {
        method: method.toUpperCase() as ToolCall['method'],
        name: path.slice(1).replace('{id}', encodeURIComponent(String(given.id))),
        query: Object.fromEntries(query.map(([key, value]) => [key, textOf(value)])),
        ...(requestBody === undefined ? {} : { body: whole === undefined ? inBody : wholeIn(given[whole]) }),
        isStream: path === STREAMED,
      };
    },
  };
}

/** Such as `get_messages`, `purge_messages` for `messages:purge`, and `get_message` for `messages/{id}`. */
function nameOf(path: string, method: Method): string {
  const [noun = '', verb = ACTS.includes(path.slice(1)) ? '' : VERBS[method]] = path
    .slice(1)
    .replace(/s\/\{id\}$/, '')
    .split(':');
  return (verb === '' ? noun : `${verb}_${noun}`).replaceAll('-', '_');
}

/** A list such as that of states is written with commas in a query. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value);
}

function wholeIn(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Puts the schemas that are referred to beside the properties. */
function withDefinitions<Input extends Schema>(input: Input, schemas: Described['schemas']): Input {
  const text = JSON.stringify(input);
  if (!text.includes(REFERENCE)) return input;
  const whole = JSON.stringify({ ...input, $defs: schemas }).replaceAll(REFERENCE, '#/$defs/');
  return JSON.parse(whole) as Input;
}
