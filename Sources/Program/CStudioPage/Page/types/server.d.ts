// What the server answers and sends; openapi.json describes it.
export {};

declare global {
  interface Device {
    name: string;
    description: string;
  }

  interface Monitor {
    name: string;
    bounds: Rectangle;
  }

  interface Sources {
    screenBackend?: string;
    dialogs: string[];
    monitors: Monitor[];
    outputs: Device[];
    applications: string[];
    microphones: Device[];
    cameras: Device[];
    problems: string[];
  }

  interface Source {
    source?: string;
    name?: string;
  }

  /** A monitor or a window of the event `choices`. */
  interface SourceChoice extends Size {
    source: string;
    name: string;
    title?: string;
    application?: string;
    /** The number of its picture. */
    picture?: number;
  }

  interface CameraLayout {
    x: number;
    y: number;
    size: number;
    shape: string;
    isMirrored: boolean;
  }

  /** The options of a recording; those that are absent are as configured. */
  interface Choice extends Source {
    profile?: string;
    audio?: string;
    microphone?: string;
    microphoneChannels?: string;
    camera?: string;
    cameraLayout?: CameraLayout;
    clipBuffer?: number;
    fps?: number;
    size?: Size;
    quality?: number;
    showKeys?: string;
    showClicks?: boolean;
    noCursor?: boolean;
    exclude?: string[];
    countdown?: number;
    destinations?: string[];
    isRecorded?: boolean;
  }

  interface Profile {
    name: string;
    choice: Choice;
    /** Options that it sets and the form lacks. */
    others?: string[];
  }

  interface Profiles {
    configured: Choice;
    profiles: Profile[];
  }

  interface TakeCamera {
    device: string;
    layout: CameraLayout;
  }

  interface Destination {
    /** Its place among the take's destinations. */
    destination: number;
    label: string;
    phase: string;
    ending?: string;
    link?: string;
    problem?: string;
    restarts: number;
    memoryLimit: number;
    removed?: boolean;
    // The rest comes with the event `progress`.
    bytes?: number;
    bitrate?: number;
    viewers?: number;
    queueMilliseconds?: number;
    roundTripMilliseconds?: number;
    reconnects?: number;
    residentMemory?: number;
    framesDropped?: number;
    framesSkipped?: number;
  }

  interface Take {
    id: string;
    source: string;
    phase: "starting" | "recording" | "broadcasting" | "paused" | "finishing" | "ended";
    output?: string;
    /** Seconds, without pauses, at `runsSince`, an instant of the event `clock`. */
    duration: number;
    runsSince?: number;
    microphone?: boolean;
    appAudio?: boolean;
    audioUnrecorded?: { audioOutput: string; description: string };
    camera?: string;
    cameraLayout?: CameraLayout;
    cameraSize?: Size;
    /** About the source while it stands still. */
    message?: string;
    clipBuffer?: number;
    destinations: Destination[];
    otherVersion?: boolean;
  }

  interface TakeProgress extends Take {
    bytes: number;
    framesDrawn: number;
    framesUnchanged: number;
    framesDropped: number;
  }

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
    /** Milliseconds, as `Date.now()`. */
    time: number;
  }

  interface Recording {
    id: string;
    name: string;
    place: "videos" | "app" | "given";
    app?: string;
    bytes: number;
    /** Milliseconds, as `Date.now()`. */
    modified: number;
    /** Seconds. */
    duration?: number;
    width?: number;
    height?: number;
    hasAudio?: boolean;
    state: "finished" | "recording" | "recoverable" | "unreadable";
    problem?: string;
    version: string;
  }

  interface Recordings {
    recordings: Recording[];
    directory?: string;
  }

  interface Job {
    job: string;
    state: "running" | "done" | "failed" | "cancelled";
    fraction?: number;
    message?: string;
    /** The ID of the recording that was made. */
    result?: string;
  }

  interface Activity {
    id: string;
    title: string;
    takesAddress: boolean;
  }

  interface Right {
    kind: string;
    subject?: string;
  }

  interface Rights {
    id: string;
    name: string;
    rights: Right[];
  }

  interface Field {
    key: string;
    title?: string;
    type?: "text" | "secret" | "choice" | "number";
    required?: boolean;
    hint?: string;
    default?: string;
    choices?: { value: string; title?: string }[];
    minimum?: number;
    whole?: boolean;
  }

  interface Service extends Rights {
    fields: Field[];
    hasSetupProgram: boolean;
    hasTest: boolean;
    settings?: "kept" | "returned";
  }

  /** The kinds that a service's setup has, too. */
  type StepKind = "waiting" | "form" | "login";
  type SheetEnding = "done" | "cancelled" | "appLost";
  type SheetKind = StepKind | "choice" | "countdown" | "recording" | SheetEnding;

  /** The content of a sheet. Each kind has what its step needs, and no more. */
  interface SheetContent {
    app: { identifier: string; name: string };
    step: number;
    kind: SheetKind;
    services: Rights[];
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
    starting: { isStarting: boolean; countdown?: number };
    choices: SourceChoice[];
    levels: { audio?: number; microphone?: number; problem?: string };
    camera: { picture?: number; width?: number; height?: number; problem?: string };
    still: { monitor: string; picture: number };
    locked: boolean;
    progress: TakeProgress[];
    /** Bytes, and seconds of recording. */
    disk: { free: number; duration: number };
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
    [share: `${string}/share`]: { job: string };
    [test: `${string}/test`]: { job: string };
    [rename: `${string}/rename`]: Recording;
    /** In an app's window a job, and else the recording. */
    [save: `${string}/save`]: Recording & { job: string };
    [setup: `${string}/setup`]: { sheet: string };
    [check: `${string}/check`]: { problems: Problems };
    [answer: `${string}/answer`]: { problems: Problems };
    [remove: `${string}/delete`]: { undo: string };
    [recover: `${string}/recover`]: Recording;
  }
}
