// To come.

export function ConnectionsScreen() {
  return <section aria-label="Connections" />;
}
