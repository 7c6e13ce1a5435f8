// What the server answers and sends. `Schemas` are those of openapi.json: scripts/check-page makes them, as openapi.d.ts. The rest is
// described there in words.
export {};

declare global {
  interface Device {
    name: string;
    description: string;
  }

  interface Monitor {
    name: string;
    bounds: Rectangle;
    /** Its maker and model. */
    description?: string;
  }

  interface Sources {
    screenBackend?: string;
    canShowBeneath?: boolean;
    dialogs: string[];
    monitors: Monitor[];
    outputs: Device[];
    applications: string[];
    microphones: Device[];
    cameras: Device[];
    problems: string[];
  }

  type SourceChoice = Schemas.Choice;
  type CameraLayout = Schemas.CameraLayout;
  /** The options of a recording; those that are absent are as configured. */
  type Choice = Schemas.Recording;
  type Source = Pick<Choice, "source" | "name">;
  type Profiles = Schemas.Profiles;
  type Profile = Profiles["profiles"][number];

  interface TakeCamera {
    device: string;
    layout: CameraLayout;
  }

  type Destination = Schemas.Destination;
  type Take = Schemas.Take;
  type TakeProgress = Take & Required<Pick<Take, "bytes" | "framesDrawn" | "framesUnchanged" | "framesDropped">>;

  interface TakeQuestion {
    /** The take's. */
    id: string;
    question: { number: number; name: string; subject: { executable: string }; kinds: string[] };
  }

  interface Notice {
    kind: string;
    file?: string;
    /** The ID of `file` in the library. */
    recording?: string;
    /** Seconds. */
    duration?: number;
    destination?: string;
    text?: string;
    /** Of `text`, as in docs/json-events.md, and the values that it names. */
    code?: string;
    values?: { [name: string]: string };
    /** Whether a window has begun the take. */
    isOwn?: boolean;
    /** Milliseconds, as `Date.now()`. */
    time: number;
  }

  type Recording = Schemas.LibraryRecording;

  interface Recordings {
    recordings: Recording[];
    directory?: string;
  }

  interface Job {
    job: string;
    state: "running" | "done" | "failed" | "cancelled";
    fraction?: number;
    message?: string;
    /** As in a notice. */
    code?: string;
    values?: { [name: string]: string };
    /** The ID of the recording that was made. */
    result?: string;
  }

  interface Activity {
    id: string;
    title: string;
    takesAddress: boolean;
  }

  type Right = Schemas.Service["rights"][number];
  type Rights = Pick<Schemas.Service, "id" | "name" | "rights">;

  interface Field {
    key: string;
    title?: string;
    type?: "text" | "secret" | "choice" | "number";
    required?: boolean;
    advanced?: boolean;
    hint?: string;
    default?: string;
    choices?: { value: string; title?: string }[];
    minimum?: number;
    whole?: boolean;
  }

  type Service = Schemas.Service & { fields: Field[] };

  /** The kinds that a service's setup has, too. */
  type StepKind = "waiting" | "form" | "login";
  type SheetEnding = "done" | "cancelled" | "appLost";
  type SheetKind = StepKind | "choice" | "countdown" | "recording" | SheetEnding;

  /** The content of a sheet. Each kind has what its step needs, and no more. */
  interface SheetContent {
    app: { identifier: string; name: string };
    step: number;
    kind: SheetKind;
    services: (Rights & { needsNothing?: boolean })[];
    isMicrophoneEnabled?: boolean;
    service: string;
    message?: string;
    fields: Field[];
    address: string;
    host: string;
    seconds: number;
    recording: string;
    isSaved: boolean;
    activities: Activity[];
  }

  type Problems = { [field: string]: string };

  /** What the worker needs in order to know the server again. */
  interface Challenger {
    id: string;
    secret: string;
  }

  /** By their types; `connection` is the worker's own. */
  interface Events {
    connection: "open" | "lost" | "refused";
    clock: number;
    takes: Take[];
    starting: { isStarting: boolean; countdown?: number; leaves?: boolean };
    choices: SourceChoice[];
    levels: { audio?: number; microphone?: number; problem?: string };
    camera: { picture?: number; width?: number; height?: number; problem?: string };
    locked: boolean;
    progress: TakeProgress[];
    takeLevels: { id: string; audio?: number; microphone?: number }[];
    disk: Schemas.Disk;
    recordings: { count: number };
    job: Job;
    notice: Notice;
    questions: TakeQuestion[];
    sheet: SheetContent;
  }

  /** By the paths of GET. */
  interface Got {
    "api/activities": Activity[];
    "api/choice": Choice;
    "api/destinations": string[];
    "api/dialog": { isThere: boolean };
    "api/profiles": Profiles;
    "api/recordings": Recordings;
    "api/services": Service[];
    "api/sources": Sources;
    "api/ways": { hasTray: boolean; hasNotification: boolean; key?: string };
    [strip: `${string}/strip`]: { images: { jpeg: string }[] };
    [waveform: `${string}/waveform`]: { peaks: number[] };
  }

  /** By the paths of POST. */
  interface Posted {
    [other: string]: object;
    "api/session": Challenger & { key: string; recording?: string };
    "api/profiles": Profiles;
    "api/recordings/undo": Recording;
    [profile: `api/profiles/${string}/remove`]: Profiles;
    [step: `${string}/step`]: { time: number };
    [open: `${string}/open`]: { address: string };
    [trim: `${string}/trim`]: { job: string };
    [film: `${string}/film`]: { job: string };
    [share: `${string}/share`]: { job: string };
    [test: `${string}/test`]: { job: string };
    [rename: `${string}/rename`]: Recording;
    /** In an app's window a job, and else the recording. */
    [save: `${string}/save`]: Recording & { job: string };
    [setup: `${string}/setup`]: { sheet: string };
    [check: `${string}/check`]: { problems: Problems };
    [answer: `${string}/answer`]: { problems: Problems };
    [mark: `${string}/mark`]: { title?: string };
    [clip: `${string}/clip`]: { duration?: number };
    [remove: `${string}/delete`]: { undo: string };
    [recover: `${string}/recover`]: Recording;
  }
}
