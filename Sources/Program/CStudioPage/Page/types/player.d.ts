// What the studio uses of the live page's player (Sources/Publish/KinePublish/Live/Page/player.js), which the server has beside
// the page's own files.

interface Standing {
  /** Microseconds on the take's timeline, and how far that is ahead of `clock`. */
  clock: number;
  ahead?: number;
}

interface Listener {
  show(state: string, reason: string): void;
  opened?(player: { setAudio(isOn: boolean): Promise<boolean> }): void;
  tick?(standing: Standing): void;
  lost?(): void;
}

interface Options extends RequestInit {
  ready?(): Promise<void>;
}

export class StreamPlayer {
  constructor(
    url: string, options: Options, parts: { canvas: HTMLCanvasElement; video: HTMLVideoElement }, wanted: string | null,
    listener: Listener);
  /** While frames are shown live: the last one's instant in microseconds, and when it was shown (performance.now). */
  get shown(): { time: number; at: number } | null;
  run(): void;
  close(): void;
}
