// The connection string of a running emulator, in the one form that every official SDK knows as an emulator's.

/** The name a client on this machine best uses for an address that was listened on. */
export function clientHost(host: string): string {
  if (/^(localhost|0\.0\.0\.0|::|127\.0\.0\.1)$/i.test(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** With the official emulator's key, which is no secret: any key is let in. */
export function formatConnectionString(host: string, port: number): string {
  return (
    `Endpoint=sb://${clientHost(host)}:${port};SharedAccessKeyName=RootManageSharedAccessKey;` +
    'SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;'
  );
}
