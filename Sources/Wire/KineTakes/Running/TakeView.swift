// A take as a desktop's tray or a page shows it, by its engine's messages. No I/O: TakeConnection reads the messages.
import FoundationEssentials
import KineMedia
import KinePlatform
import KineText
import KineWire

/// The end of a take as its engine reports it.
package enum TakeEnding: Sendable, Equatable {
    case finished(TakeSummary)
    case failed(TakeFailure)
}

package struct TakeView: Sendable {
    package let record: TakeRecord
    /// False: the engine has another protocol, of which only the frozen messages are understood.
    package var isSameProtocol = true
    package private(set) var phase = TakePhase.starting
    /// The shown source, for a person.
    package private(set) var source: String
    /// The recording, if there is one.
    package private(set) var output: String?
    /// Nil in a take without a microphone.
    package private(set) var isMicrophoneOn: Bool?
    /// Nil in a take without the audio that is played.
    package private(set) var isAppAudioOn: Bool?
    /// As `TakeStatus.unrecordedAudio`.
    package private(set) var unrecordedAudio: UnrecordedAudio?
    package private(set) var camera: TakeConfiguration.Camera?
    /// The size of the camera's own frames; nil: it has given none.
    package private(set) var cameraSize: PixelSize?
    /// Why the source stands still, and the time since when, in seconds since 1970; nil: it does not.
    package private(set) var interruption: (reason: SourceInterruption, since: Double)?
    package private(set) var destinations: [Int: DestinationStatus] = [:]
    /// The rules of `--exclude` that matched no window when the engine last sent its status.
    package private(set) var unmatchedExclusions: [String] = []
    /// The app's open question to the person, while `Takes.showsQuestions` is set.
    package private(set) var question: PermissionInquiry?
    /// The end that the engine has reported; nil: none yet.
    package private(set) var ending: TakeEnding?
    package private(set) var recorded = MediaTime.zero
    /// The instant from which recorded time is added to `recorded`, nanoseconds of CLOCK_MONOTONIC; nil: it stands.
    package private(set) var runsSince: Int64?

    package init(_ record: TakeRecord) {
        self.record = record
        source = record.source
        output = record.output
    }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    package init(_ record: TakeRecord, _ status: TakeStatus, at now: Int64) {
        self.init(record)
        received(status, at: now)
    }

    package mutating func received(_ message: EngineMessage, at now: Int64) {
        switch message {
        case .answer(_, .success(.status(let status))): received(status, at: now)
        case .answer: break
        case .event(.finished(let summary)): end(.finished(summary), summary, at: now)
        case .event(.failed(let failure)): end(.failed(failure), failure.summary, at: now)
        case .event(let event): if isSameProtocol { received(event, at: now) }
        }
    }

    private mutating func received(_ status: TakeStatus, at now: Int64) {
        (output, source) = (status.output, status.source)
        (isMicrophoneOn, isAppAudioOn) = (status.isMicrophoneOn, status.isAppAudioOn)
        (camera, cameraSize) = (status.camera, status.cameraSize)
        (unrecordedAudio, unmatchedExclusions) = (status.unrecordedAudio, status.unmatchedExclusions)
        interruption = status.interruption.map { ($0, status.interruptedSince ?? Date().timeIntervalSince1970) }
        destinations = Dictionary(status.destinations.map { ($0.destination, $0) }, uniquingKeysWith: { $1 })
        enter(status.phase, recorded: status.progress.duration, at: now)
    }

    private mutating func received(_ event: EngineEvent, at now: Int64) {
        switch event {
        case .started(let take):
            output = take.output
            if phase == .starting { enter(.recording, recorded: .zero, at: now) }
        case .paused: enter(.paused, recorded: time(at: now), at: now)
        case .resumed: enter(.recording, recorded: time(at: now), at: now)
        case .microphone(let isOn): isMicrophoneOn = isOn
        case .appAudio(let isOn): isAppAudioOn = isOn
        case .audioUnrecorded(let audio): unrecordedAudio = audio
        case .appAudioOutput: unrecordedAudio = nil
        case .camera(let camera): self.camera = camera
        case .cameraShown(let size): cameraSize = size
        case .sourceInterrupted(let reason): interruption = reason.map { ($0, Date().timeIntervalSince1970) }
        case .sourceSwitched(let source): (self.source, interruption) = (source.description, nil)
        case .permissionAsked(let question): self.question = question
        case .destination(let event): if let status = event.status { destinations[event.destination] = status }
        default: break
        }
    }

    private mutating func enter(_ phase: TakePhase, recorded: MediaTime, at now: Int64) {
        (self.phase, self.recorded) = (phase, recorded)
        runsSince = phase == .recording ? now : nil
    }

    private mutating func end(_ ending: TakeEnding, _ summary: TakeSummary?, at now: Int64) {
        (self.ending, output) = (ending, summary?.output)
        (question, interruption, unrecordedAudio) = (nil, nil, nil)
        enter(.ended, recorded: time(at: now), at: now)
    }

    /// The recorded time, without pauses.
    package func time(at now: Int64) -> MediaTime {
        recorded + MediaTime(nanoseconds: runsSince.map { now - $0 } ?? 0)
    }

    /// The next instant at which the recorded time is a whole minute; nil while it stands.
    package func nextMinute(after now: Int64) -> Int64? {
        let minute: Int64 = 60_000_000_000
        return runsSince == nil ? nil : now + minute - max(0, time(at: now).nanoseconds) % minute
    }

    /// The record with the file that the engine has named since.
    package var currentRecord: TakeRecord {
        var record = record
        record.output = output ?? record.output
        return record
    }

    /// The file of the recording; nil: there is none, or it goes to standard output.
    package var file: String? { output == TakeConfiguration.standardOutput ? nil : output }

    /// Whether something is captured. An engine of another protocol does not say when that begins.
    package var isCapturing: Bool { phase == .recording || !isSameProtocol && phase == .starting }

    /// The take's activity, in a word or two.
    package var activity: String {
        if phase == .paused { return "Paused" }
        guard isCapturing else { return phase == .starting ? "Starting" : "Finishing" }
        if output != nil { return "Recording" }
        if !destinations.isEmpty { return "Broadcasting" }
        return record.clipBuffer == nil ? "Capturing" : "Keeping the last moments"
    }

    /// A sentence about the source while it stands still.
    package var interruptionSentence: String? { interruption.map { $0.reason.sentence(since: $0.since) } }

    /// A sentence about the source that stands still, or the first destination that is in trouble.
    package var problem: String? {
        if let interruptionSentence { return interruptionSentence }
        for (_, status) in destinations.sorted(by: { $0.key < $1.key }) where !status.isRemoved {
            let words: String
            if let ending = status.ending, ending != .finished {
                words = DestinationSentences.words(ending)
            } else if status.ending == nil, let problem = status.problem {
                words = DestinationSentences.phrase(problem)
            } else if status.phase == .reconnecting {
                words = "reconnecting"
            } else {
                continue
            }
            return "\(status.label): \(words)".printable(limit: 200) + "."
        }
        return nil
    }
}

extension SourceInterruption {
    /// A sentence with the local time since when.
    ///
    /// - Parameter since: seconds since 1970, UTC.
    public func sentence(since: Double) -> String {
        let time = LocalTime.text("%H:%M:%S", at: Int(min(max(since, 0), 1e12)))
        return "\(phrase.prefix(1).uppercased())\(phrase.dropFirst()) since \(time); the last picture is shown."
    }
}
