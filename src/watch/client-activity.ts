// Activities that only the front ends see: connections, links, tokens, and clients that are refused.

export type ClientTransport = 'tcp' | 'tls' | 'websocket' | 'websocket-tls' | 'http' | 'https';

export type ClientActivity =
  | {
      readonly kind: 'connection-opened';
      readonly transport: ClientTransport;
    }
  /** `cause`: undefined if the client closed the connection. */
  | { readonly kind: 'connection-closed'; readonly cause: string | undefined }
  | { readonly kind: 'link-attached'; readonly role: LinkRole; readonly path: string }
  | {
      readonly kind: 'link-refused';
      readonly role: LinkRole;
      readonly path: string;
      readonly condition: string;
      readonly text: string;
    }
  /** Condition and text are undefined if the client detached. */
  | {
      readonly kind: 'link-detached';
      readonly path: string;
      readonly condition: string | undefined;
      readonly text: string | undefined;
    }
  | { readonly kind: 'token-accepted'; readonly path: string; readonly policy: string | undefined }
  /** A token is also refused when its entity does not exist. */
  | {
      readonly kind: 'token-refused';
      readonly path: string;
      readonly reason: 'unauthorized' | 'entity-not-found';
      readonly text: string;
    }
  /** A fault has hit an operation. `path` is empty for an operation of the whole namespace. */
  | {
      readonly kind: 'fault-fired';
      readonly path: string;
      readonly operation: string;
      /** The effect in words. */
      readonly effect: string;
      /** The number of the fault; 0 if it came with the message. */
      readonly fault: number;
    }
  /** A client that never became a connection: the wrong protocol, an untrusted certificate, a foreign Host or RequestOrigin. */
  | { readonly kind: 'client-refused'; readonly text: string }
  /** An HTTP request that was refused because of its token, or a request to send, receive or settle that was refused for any reason. */
  | {
      readonly kind: 'request-refused';
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly text: string;
    }
  | {
      readonly kind: 'http-request';
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly durationMs: number;
    };

export type LinkRole = 'sender' | 'receiver' | 'browser' | 'session-receiver' | 'control' | 'management';
