// To come.

export function AboutScreen() {
  return <section aria-label="About" />;
}
