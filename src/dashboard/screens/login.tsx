// To come.

export function LoginScreen() {
  return <section aria-label="Login" />;
}
