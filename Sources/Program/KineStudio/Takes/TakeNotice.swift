// What a person reads about takes beside their state: apps' questions and notices.
import KineMedia
import KineTakes
import KineWire

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
    /// Of `text`, if it has one, and the values that it names.
    let code: String?
    let values: [String: String]?
    /// Whether a page has begun the take.
    var isOwn: Bool?
    /// Milliseconds since 1970, as `Date.now()`.
    var time: Double = 0

    init(kind: Kind, take: String? = nil, text: String? = nil, _ code: ProblemCode? = nil) {
        (self.kind, self.take, self.text) = (kind, take, text)
        (self.code, values) = (code?.name, code?.givenValues)
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
            self.init(kind: .warning, take: take, text: interruption.sentence, interruption.problem)
        case .sourceInterrupted(nil): self.init(kind: .sourceReturned, take: take)
        case .warning(let text, let code): self.init(kind: .warning, take: take, text: text, code)
        case .destination(let event):
            switch event.kind {
            case .phase(.live): self.init(kind: .live, take: take)
            case .warning(let text): self.init(kind: .warning, take: take, text: text, event.code)
            case .ended(let ending) where ending != .finished:
                self.init(kind: .warning, take: take, text: DestinationSentences.words(ending), event.status?.code)
            default: return nil
            }
            destination = event.label
        case .finished(let summary):
            self.init(kind: .ended, take: take)
            fill(summary)
        case .failed(let failure):
            self.init(kind: .failed, take: take, text: failure.message, failure.problem)
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
