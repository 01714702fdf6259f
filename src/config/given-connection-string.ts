// Reads a connection string of Azure or of an emulator.

import { ValueError } from '../description/value-error.js';

export type GivenConnectionString = {
  /** An IPv6 address stands in brackets. */
  readonly host: string;
  readonly port: number | undefined;
  /** `UseDevelopmentEmulator=true`: without TLS. */
  readonly isEmulator: boolean;
  readonly access:
    | { readonly kind: 'key'; readonly keyName: string; readonly key: string }
    | { readonly kind: 'signature'; readonly signature: string };
  /** The entity to which the string is limited, if any. */
  readonly entityPath: string | undefined;
};

const ENDPOINT = /^[a-z][a-z0-9+.-]*:\/\/(?<host>\[[0-9a-f:.]+\]|[^/:\s]+)(?::(?<port>\d{1,5}))?\/?$/i;

/** Throws a ValueError, which never quotes a key. */
export function parseConnectionString(text: string): GivenConnectionString {
  const fields = fieldsOf(text);
  const { host, port } = ENDPOINT.exec(fields.get('endpoint') ?? '')?.groups ?? {};
  if (host === undefined) {
    throw new ValueError('must have an Endpoint=sb://<host>, with or without a port, followed by ;');
  }
  return {
    host,
    port: port === undefined ? undefined : Number(port),
    isEmulator: fields.get('usedevelopmentemulator')?.toLowerCase() === 'true',
    access: accessIn(fields),
    entityPath: fields.get('entitypath'),
  };
}

/** By their names in lower case; a key may contain an equals sign. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  const parts = text.split(';').map((part) => part.trim());
  return new Map(
    parts
      .filter((part) => part.includes('='))
      .map((part) => {
        const at = part.indexOf('=');
        return [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()];
      }),
  );
}

function accessIn(fields: ReadonlyMap<string, string>): GivenConnectionString['access'] {
  const signature = fields.get('sharedaccesssignature');
  if (signature !== undefined) return { kind: 'signature', signature };
  const keyName = fields.get('sharedaccesskeyname');
  const key = fields.get('sharedaccesskey');
  if (!keyName || !key) {
    throw new ValueError('must have SharedAccessKeyName and SharedAccessKey, or SharedAccessSignature');
  }
  return { kind: 'key', keyName, key };
}
