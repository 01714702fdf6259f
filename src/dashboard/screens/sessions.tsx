// To come.

export function SessionsScreen() {
  return <section aria-label="Sessions" />;
}
