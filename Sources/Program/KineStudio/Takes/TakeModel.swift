// A take as pages show it, and the events of takes.
import KineMedia
import KineTakes
import KineWire

/// Times are seconds. An absent key: not available.
struct TakeModel: Encodable, Equatable, Sendable {
    struct Destination: Encodable, Equatable, Sendable {
        let number: Int
        let label: String
        let phase: String
        let link: String?
        /// One sentence, or a clause of the service's.
        let problem: String?
    }

    let id: String
    let source: String
    let phase: String
    let file: String?
    /// The recorded time, without pauses, at `runsSince`.
    let recorded: Double
    /// The instant from which recorded time is added, on the clock of the event `clock`; absent while it stands.
    let runsSince: Double?
    let isMicrophoneOn: Bool?
    let isAppAudioOn: Bool?
    /// An application that plays on an output which the take does not record.
    let unrecordedAudio: UnrecordedAudio?
    /// The camera over the picture.
    let camera: TakeConfiguration.Camera?
    /// The size of the camera's own frames; absent until there is one.
    let cameraSize: PixelSize?
    /// A sentence about the source while it stands still.
    let interruption: String?
    /// The length of the clip buffer.
    let clipBuffer: Double?
    let app: String?
    let destinations: [Destination]
    /// Only its status and its end are known: the engine is of another version.
    let isOtherVersion: Bool

    init(_ view: TakeView) {
        id = view.record.id
        source = view.source
        phase = view.phase.rawValue
        file = view.file
        recorded = view.recorded.seconds
        runsSince = view.runsSince.map { Double($0) / 1e9 }
        (isMicrophoneOn, isAppAudioOn) = (view.isMicrophoneOn, view.isAppAudioOn)
        unrecordedAudio = view.unrecordedAudio
        (camera, cameraSize) = (view.camera, view.cameraSize)
        interruption = view.interruptionSentence
        clipBuffer = view.record.clipBuffer?.seconds
        app = view.record.app?.name
        destinations = view.destinations.values.filter { !$0.isRemoved }.sorted { $0.destination < $1.destination }
            .map { Destination($0) }
        isOtherVersion = !view.isSameProtocol
    }

    var isOpen: Bool { [TakePhase.starting, .recording, .paused].contains { $0.rawValue == phase } }
}

/// An app's open question whether it may record.
struct TakeQuestion: Encodable, Equatable, Sendable {
    /// The take's.
    let id: String
    let question: PermissionInquiry

    init?(_ view: TakeView) {
        guard let question = view.question else { return nil }
        (id, self.question) = (view.record.id, question)
    }
}

extension TakeModel.Destination {
    init(_ status: DestinationStatus) {
        let ending = status.ending.flatMap { $0 == .finished ? nil : DestinationSentences.words($0) }
        self.init(
            number: status.destination, label: status.label, phase: status.phase.rawValue, link: status.link,
            problem: ending ?? (status.ending == nil ? status.problem.map(DestinationSentences.phrase) : nil))
    }
}

/// An event in a list that a person reads. The page has the words; `text` comes from an engine or a command.
struct TakeNotice: Encodable, Equatable, Sendable {
    enum Kind: String, Encodable, Sendable, CaseIterable {
        case started, paused, resumed, microphoneOn, microphoneOff, audioOn, audioOff, locked, unlocked, sourceReturned
        case live, chapter, clip, ended
        case failed, warning
    }

    let kind: Kind
    var take: String?
    var file: String?
    /// The ID of `file` in the library.
    var recording: String?
    /// Seconds.
    var duration: Double?
    var bytes: Int64?
    var destination: String?
    var text: String?
    /// Milliseconds since 1970, as `Date.now()`.
    var time: Double = 0

    init(kind: Kind, take: String? = nil, text: String? = nil) {
        (self.kind, self.take, self.text) = (kind, take, text)
    }

    /// Nil: the event is not for the list.
    init?(_ event: EngineEvent, take: String) {
        switch event {
        case .started: self.init(kind: .started, take: take)
        case .paused: self.init(kind: .paused, take: take)
        case .resumed: self.init(kind: .resumed, take: take)
        case .microphone(let isOn): self.init(kind: isOn ? .microphoneOn : .microphoneOff, take: take)
        case .appAudio(let isOn): self.init(kind: isOn ? .audioOn : .audioOff, take: take)
        case .screenLocked(let isLocked): self.init(kind: isLocked ? .locked : .unlocked, take: take)
        case .sourceInterrupted(let interruption?):
            self.init(kind: .warning, take: take, text: interruption.sentence)
        case .sourceInterrupted(nil): self.init(kind: .sourceReturned, take: take)
        case .warning(let text): self.init(kind: .warning, take: take, text: text)
        case .destination(let event):
            switch event.kind {
            case .phase(.live): self.init(kind: .live, take: take)
            case .warning(let text): self.init(kind: .warning, take: take, text: text)
            case .ended(let ending) where ending != .finished:
                self.init(kind: .warning, take: take, text: DestinationSentences.words(ending))
            default: return nil
            }
            destination = event.label
        case .finished(let summary):
            self.init(kind: .ended, take: take)
            fill(summary)
        case .failed(let failure):
            self.init(kind: .failed, take: take, text: failure.message)
            fill(failure.summary)
        default: return nil
        }
    }

    private mutating func fill(_ summary: TakeSummary?) {
        guard let summary else { return }
        file = summary.output == TakeConfiguration.standardOutput ? nil : summary.output
        duration = summary.progress.duration.seconds
        bytes = Int64(summary.progress.bytes)
    }
}
