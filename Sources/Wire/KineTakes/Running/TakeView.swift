// A take as a desktop's tray or a page shows it, by its engine's messages. No I/O: TakeConnection reads the messages.
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
    /// As the engine last sent it, with the changes that its events have reported since.
    package private(set) var status: TakeStatus
    /// The app's open question to the person, while `Takes.showsQuestions` is set.
    package private(set) var question: PermissionInquiry?
    /// The end that the engine has reported; nil: none yet.
    package private(set) var ending: TakeEnding?
    /// The instant from which recorded time is added to `recorded`, nanoseconds of CLOCK_MONOTONIC; nil: it stands.
    package private(set) var runsSince: Int64?

    package init(_ record: TakeRecord) {
        self.record = record
        status = TakeStatus(
            id: record.id, phase: .starting, output: record.output, source: record.source, progress: TakeProgress())
    }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC; the same below.
    package init(_ record: TakeRecord, _ status: TakeStatus, at now: Int64) {
        self.init(record)
        received(status, at: now)
    }

    package var phase: TakePhase { status.phase }
    /// Whether it has ended well.
    package var isFinished: Bool { if case .finished? = ending { true } else { false } }
    /// The source's name for a person.
    package var sourceName: String { status.sourceName ?? record.sourceName ?? status.source }
    /// The recording, if there is one.
    package var output: String? { status.output }
    package var recorded: MediaTime { status.progress.duration }

    package mutating func received(_ message: EngineMessage, at now: Int64) {
        switch message {
        case .answer(_, .success(.status(let status))): received(status, at: now)
        case .answer: break
        case .event(let event): received(event, at: now)
        }
    }

    private mutating func received(_ status: TakeStatus, at now: Int64) {
        self.status = status
        runsSince = phase == .recording ? now : nil
    }

    private mutating func received(_ event: EngineEvent, at now: Int64) {
        switch event {
        case .finished(let summary): (ending, question) = (.finished(summary), nil)
        case .failed(let failure): (ending, question) = (.failed(failure), nil)
        // Only the end has the same meaning in all protocols.
        case _ where !isSameProtocol: return
        case .permissionAsked(let question): self.question = question
        default: break
        }
        let (earlierPhase, recorded) = (phase, time(at: now))
        status.apply(event)
        guard phase != earlierPhase else { return }
        status.progress.duration = recorded
        runsSince = phase == .recording ? now : nil
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
        if !status.destinations.isEmpty { return "Broadcasting" }
        return record.clipBuffer == nil ? "Capturing" : "Keeping the last moments"
    }

    /// A sentence about the source while it stands still.
    package var interruptionSentence: String? {
        guard let interruption = status.interruption, let since = status.interruptedSince else { return nil }
        return interruption.sentence(since: since)
    }

    /// A sentence about the source that stands still, or the first destination that is in trouble.
    package var problem: String? {
        if let interruptionSentence { return interruptionSentence }
        for destination in status.destinations where !destination.isRemoved {
            let words: String
            if let ending = destination.ending, ending != .finished {
                words = DestinationSentences.words(ending)
            } else if destination.ending == nil, let problem = destination.problem {
                words = DestinationSentences.phrase(problem)
            } else if destination.phase == .reconnecting {
                words = "reconnecting"
            } else {
                continue
            }
            return "\(destination.label): \(words)".printable(limit: 200) + "."
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
