// To come.

export function ConnectScreen() {
  return <section aria-label="Connect" />;
}
