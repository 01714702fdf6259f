// The context of every HTTP handler: the call, the parts of the emulator that it uses, and the result of a command.

import type { AutoCreate } from '../auto-create.js';
import type { Limits, Tier } from '../broker/contract/limits.js';
import type { Result } from '../broker/contract/result.js';
import type { ByteBudget, ByteShare } from '../budget/byte-budget.js';
import type { Engine } from '../engine/engine.js';
import type { StartTimer } from '../engine/timer.js';
import type { Searches } from '../inspect/searches.js';
import type { ShownKey } from '../security/access.js';
import type { Authorizer } from '../security/authorizer.js';
import type { EntraTokens } from '../security/entra-token.js';
import type { EmulatorClock } from '../steer/emulator-clock.js';
import type { EmulatorFaults } from '../steer/emulator-faults.js';
import type { Faults } from '../steer/faults.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { ConnectionAnswer } from './control/control-schemas.js';
import type { RequestErrorContext } from './error-response.js';
import type { StartPage } from './start-page.js';

/** The usual memory of an answer, including everything it is made from. Reserved beforehand, unless the answer waits for something. */
export const USUAL_ANSWER_BYTES = 256 * 1024;
/** The parts of a request that handlers read, as in a `Request` of the web. */
export type HttpRequest = Pick<Request, 'method' | 'url' | 'headers' | 'signal'> & {
  /** The pieces of the body; they can be read once. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Whether the whole body has arrived from the client. */
  readonly isComplete?: boolean;
};

export type HttpCall = {
  readonly request: HttpRequest;
  readonly url: URL;
  /** The decoded segments of the path; empty for the namespace itself. */
  readonly path: readonly string[];
  readonly errorContext: RequestErrorContext;
  /** Header names as the client spelled them; undefined when only their lower case is known. */
  readonly headerNames?: readonly string[] | undefined;
  /** Counts the bytes that are held for the client. When the answer has been sent, the HTTP server gives back what the request has added. */
  readonly share: ByteShare;
};

/** The names in the path of a request; empty where its route has none. */
export type RouteNames = {
  readonly entity: string;
  readonly topic: string;
  readonly subscription: string;
  readonly rule: string;
  /** The id or number of a message. */
  readonly id: string;
  readonly lockToken: string;
};

export type RoutedCall = HttpCall & { readonly names: RouteNames; readonly context: HttpContext };

/** Answers a request, or throws the error of a client's mistake. */
export type AnswerCall = (call: RoutedCall) => Promise<Response> | Response;

/** The parts of the HTTP message that an `HttpRequest` does not have. */
export type RawRequest = {
  readonly headerNames: readonly string[];
  /** The request target, before `..` is resolved. */
  readonly target: string;
  /** Default: nothing is limited. */
  readonly share?: ByteShare | undefined;
  readonly port?: number | undefined;
  readonly client?: AnswerClient | undefined;
};

export type AnswerClient = {
  end(): void;
  /** Calls it when the answer has been sent, or the client has gone. */
  onGone(then: () => void): void;
};

export type HttpContext = {
  readonly engine: HttpEngine;
  /** 32 random hexadecimal digits. */
  readonly nextGuid: () => string;
  /** The start of the emulator, which counts as the creation time of the namespace. */
  readonly startedTime: Date;
  readonly tier: Tier;
  readonly limits: Limits;
  /** Called for a bug of the emulator; the client is only told that there was one. */
  readonly onFault: (fault: unknown) => void;
  /** The timer that ends waits for a message. Default: real time. */
  readonly startTimer?: StartTimer;
  /** The memory that sockets share. Without it, nothing is limited. */
  readonly budget?: ByteBudget;
  /** Checks keys and tokens. Without it, all are accepted. */
  readonly authorizer?: Authorizer;
  /** Issues tokens to programs that cannot reach Azure. Without it, there are none. */
  readonly entraTokens?: EntraTokens;
  /** The faults that may hit requests. Default: none. */
  readonly faults?: Faults | undefined;
  /** The stream in which refused requests are recorded. Default: none. */
  readonly activity?: ActivityStream | undefined;
  /** Creates a missing queue for messages that are sent. Default: none is created. */
  readonly autoCreate?: AutoCreate | undefined;
  /** Undefined: the control interface is switched off. */
  readonly control?: ControlContext | undefined;
  /** Finds the namespace of a request. Without it, this one has all. */
  readonly namespaces?: HttpNamespaces | undefined;
  /** The time for token expiry, in milliseconds since 1970. Default: real time. */
  readonly now?: () => number;
};

/** A namespace that a request chooses, or why it cannot; `isMissing`: there is none of that name. */
export type FoundNamespace =
  | { readonly context: HttpContext; readonly enter: (end: () => void) => () => void }
  | { readonly refusal: string; readonly isMissing?: boolean };

/** Finds namespaces. A promise if one has to be made first. */
export type HttpNamespaces = {
  /** `port`: where the request came in, which may be that of a namespace. */
  ofKey(key: ShownKey | undefined, port: number | undefined): FoundNamespace | Promise<FoundNamespace>;
  ofPath(name: string, key: ShownKey | undefined): FoundNamespace | Promise<FoundNamespace>;
};

export type NamespaceEntry = {
  readonly context: HttpContext;
  /** The port of its own; undefined if it has none. */
  readonly port: number | undefined;
  /** Whether a client has made it by the name of its key. */
  readonly isMade: boolean;
};

export type NewNamespace = {
  readonly name: string;
  readonly port?: number;
  readonly queues?: readonly string[];
  readonly topics?: readonly string[];
};

/** All namespaces, for clients that manage `default`. */
export type NamespacesPort = {
  list(): readonly NamespaceEntry[];
  /** Rejects with a JitneyError. */
  add(given: NewNamespace): Promise<NamespaceEntry>;
  /** Removes it with everything that is stored in it. False if there is none of this name. */
  remove(name: string): Promise<boolean>;
};

/** Facts about the emulator that only the control interface shows. */
export type ControlContext = {
  /** Default: `default`. */
  readonly namespace?: string;
  /** Undefined for every namespace but `default`. */
  readonly namespaces?: NamespacesPort | undefined;
  readonly version: string;
  /** Empty until the ports are open; a port that does not exist is undefined. */
  readonly ports: () => {
    readonly port?: number | undefined;
    readonly httpPort?: number | undefined;
    readonly tlsPort?: number | undefined;
    readonly httpsPort?: number | undefined;
  };
  readonly activity?: ActivityStream | undefined;
  readonly searches: Searches;
  /** The broker's clock; undefined if it cannot be set. */
  readonly clock?: EmulatorClock | undefined;
  /** The faults of the emulator; undefined if it has none. */
  readonly faults?: EmulatorFaults | undefined;
  /** Takes and restores snapshots; undefined if there are none. */
  readonly snapshots?: SnapshotsPort | undefined;
  /** The open connections; undefined if they are not shown. */
  readonly connections?: ConnectionsPort | undefined;
  /** Brings back exactly the configured entities; undefined if no configuration is known. */
  readonly resetEntities?: (() => Promise<void>) | undefined;
  /** Stops the emulator; undefined if it cannot be stopped from here. */
  readonly stop?: (() => void) | undefined;
  /** The connection string for clients that reach this host and port. */
  readonly start?: StartPage | undefined;
  /** Whether pages in a browser may change nothing. */
  readonly isReadOnlyPage?: boolean;
  /** Options of the start, without secrets. */
  readonly settings: Readonly<Record<string, string | number | boolean | string[]>>;
  readonly settingOrigins?: Readonly<Record<string, string>> | undefined;
  /** Whether pages of the accepted origins may use the interface. */
  readonly isOpenToOrigins?: boolean;
};

/** Snapshots as bytes. `restore` rejects with a JitneyError for bytes that are none. */
export type SnapshotsPort = {
  take(): Promise<Uint8Array>;
  restore(bytes: Uint8Array): Promise<number>;
};

/** The open AMQP connections. Times are milliseconds since 1970. */
export type ConnectionsPort = {
  list(): readonly (Omit<ConnectionAnswer, 'since' | 'links'> & {
    readonly since: number;
    readonly links: readonly (Omit<ConnectionAnswer['links'][number], 'since'> & {
      readonly since: number;
    })[];
  })[];
  /** Returns false if there is no such connection or link. */
  endConnection(connectionId: number): boolean;
  endLink(linkId: number): boolean;
};

export type HttpEngine = Pick<
  Engine,
  'ask' | 'submit' | 'openLink' | 'closeLink' | 'resumeLink' | 'readMessage' | 'readContent'
>;

/** The result, which must be of this kind. Throws the ServiceBusError of a failed result. */
export function expectResult<Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): Extract<Result, { readonly kind: Kind }> {
  if (result.kind === 'failed') throw result.error;
  if (isOfKind(result, kind)) return result;
  throw new Error(`the broker answered '${result.kind}' where '${kind}' was expected`);
}

function isOfKind<Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): result is Extract<Result, { readonly kind: Kind }> {
  return result.kind === kind;
}
