// Tells a connection string from the path of a file, and shows it without its key.

export function isConnectionString(source: string): boolean {
  return source.split(';').some((part) => /^\s*Endpoint *=/i.test(part));
}

/** A source as it may be shown and logged: the address alone of a connection string. */
export function shownSource(source: string): string {
  const endpoint = source.split(';').find((part) => /^\s*Endpoint *=/i.test(part));
  return endpoint === undefined ? source : endpoint.slice(endpoint.indexOf('=') + 1).trim();
}
