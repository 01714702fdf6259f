// To come.

export function ClockScreen() {
  return <section aria-label="Clock" />;
}
