// The part of testcontainers that this folder uses: it is a package of the user's, and in no install of ours.

declare module 'testcontainers' {
  type WaitStrategy = { withStartupTimeout(timeoutMs: number): WaitStrategy };
  export interface StartedTestContainer {
    getHost(): string;
    getMappedPort(port: number): number;
  }
  export class GenericContainer {
    constructor(image: string);
    withExposedPorts(...ports: number[]): this;
    withWaitStrategy(strategy: WaitStrategy): this;
    withEnvironment(variables: Record<string, string>): this;
    withCopyContentToContainer(contents: { content: string; target: string; mode?: number }[]): this;
    start(): Promise<StartedTestContainer>;
  }
  export class AbstractStartedContainer implements StartedTestContainer {
    constructor(container: StartedTestContainer);
    getHost(): string;
    getMappedPort(port: number): number;
  }
  export const Wait: { forHttp(path: string, port: number): WaitStrategy };
}
