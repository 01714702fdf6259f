// To come.

export function OverviewScreen() {
  return <section aria-label="Overview" />;
}
