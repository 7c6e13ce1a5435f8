// What TypeScript 4.8, which Debian 12 has, does not know of browsers.
export {};

declare global {
  interface Element {
    role: string | null;
    checkVisibility(): boolean;
  }

  interface FocusOptions {
    focusVisible?: boolean;
  }

  interface Array<T> {
    /** ES2023. */
    toReversed(): T[];
  }

  interface HTMLVideoElement {
    requestVideoFrameCallback(callback: (now: number, frame: { mediaTime: number }) => void): number;
  }

  interface WindowEventMap {
    /** Of a shared worker. */
    connect: MessageEvent;
  }

  interface AbortSignals {
    new (): AbortSignal;
    prototype: AbortSignal;
    timeout(milliseconds: number): AbortSignal;
  }
}
