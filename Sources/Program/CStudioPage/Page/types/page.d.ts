// Shapes that the page's modules share.
export {};

declare global {
  /** Where the screen that the window is on begins, without the desktop's panels: CSSOM View names only the sizes. */
  interface Screen {
    readonly availLeft: number;
    readonly availTop: number;
  }

  /** The element that `make` returns for a tag such as `p.hint`. */
  type Made<Tag extends string> = Tag extends `${infer Name}.${string}` ? Named<Name> : Named<Tag>;
  type Named<Name extends string> = Name extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Name] : HTMLElement;

  /** A function is a listener; other values are attributes. */
  type Attributes = {
    [Type in keyof HTMLElementEventMap]?: ((event: HTMLElementEventMap[Type]) => unknown) | null;
  } & { [name: string]: unknown };

  type Child = Node | string | null | undefined;

  /** Gets the sentence of an error; nothing: there is none any more. */
  type Fail = (sentence?: string) => void;
  type Action = () => unknown;

  /** What `arrange` shows an item in. */
  interface Row<Item> {
    element: Element;
    show(item: Item): unknown;
    close?(): void;
  }

  /** Values for words; what is not there leaves nothing. */
  type Values = { [name: string]: unknown };
  type Words = { [name: string]: string };

  /** Gets the state of the connection. */
  type SetPhase = (phase: string) => void;

  interface Size {
    width: number;
    height: number;
  }

  interface Rectangle extends Size {
    x: number;
    y: number;
  }

  /** A take in a few words; without one, `text` alone. */
  interface TakeSummary {
    text: string;
    time?: string;
    phase?: string;
    /** Whether it is broadcast. */
    isLive?: boolean;
  }

  interface TakeCard extends Row<Take> {
    element: HTMLElement;
    /** The newest state. */
    readonly take: Take;
    time: string;
    close(): void;
    showPreview(): void;
    showProgress(newest: TakeProgress): void;
    /** `now`: seconds of the server's clock. */
    setTime(now: number): void;
  }

  /** A source to choose. `value`: JSON of the request's `source` and `name`. */
  interface GalleryEntry extends Partial<Size> {
    value: string;
    title?: string;
    application?: string;
    kind?: "screen" | "window" | "area";
    /** The number of its picture. */
    picture?: number;
  }

  type CutEnd = "from" | "to";

  /** A frame that was asked for, and what the server has to find for that. */
  interface FrameQuestion<File> {
    file: File;
    asked: number;
    time: number;
  }

  type TileAction = "open" | "rename" | "remove" | "recover" | "save";

  interface CutRequest {
    name: string;
    replaces?: boolean;
    /** The title of the desktop's dialog for a place. */
    dialog?: string;
  }

  /** What plays one recording. Times are in seconds. */
  interface Player {
    readonly element: HTMLElement;
    readonly address: string;
    readonly time: number;
    readonly duration: number;
    readonly isPlaying: boolean;
    readonly rate: number;
    open(recording: Recording, time?: number): Promise<void>;
    close(): void;
    follow(recording: Recording): void;
    showChange(sentence: string): void;
    play(rate?: number): void;
    playCut(from: number, to: number): void;
    pause(): void;
    toggle(): void;
    faster(): void;
    seek(time: number): void;
    move(time: number): Promise<void>;
    frame(time: number, frames?: number): Promise<number>;
    step(frames: number): Promise<void>;
  }

  /** Gets the previous kind. */
  type ShowStep = (last?: SheetKind) => void;

  /** Returns the problems of values, by their keys. */
  type Check = (values: { [key: string]: string }) => Promise<{ problems: Problems }>;

  interface FilledField {
    input: HTMLInputElement | HTMLSelectElement;
    problem: Element;
    timer?: number;
  }

  /** `note`: to be shown with a question about it. */
  type RecordingAction = (recording: Recording, note: Element | null) => unknown;

  /** What can be done with a recording, by a window or by a part of it. */
  interface RecordingActions {
    open?: RecordingAction;
    rename?: RecordingAction;
    remove?: RecordingAction;
    recover?: RecordingAction;
    save?: RecordingAction;
    /** Throws with a sentence. */
    setName?(recording: Recording, name: string): Promise<unknown>;
    back?(): void;
    /** Shows what another recording is chosen in. */
    again?(): unknown;
    made?(id: string, replaced?: string): Element;
    /** The beginning of the paths that cut and share; absent: the recording's own. */
    work?: string;
    /** Absent: the server's. */
    activities?: Activity[];
  }

  /** Modules that several places load, by their names. */
  interface Modules {
    "library/library": typeof import("../library/library.js");
    "record/services": typeof import("../record/services.js");
    "sheet/review": typeof import("../sheet/review.js");
  }
}
