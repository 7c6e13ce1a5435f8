// A take as `status --json` prints it and as the studio's pages get it. docs/json-events.md explains the keys.
import KineMedia
import KineWire

/// Counts are for those who ask for them: the others would get a new snapshot each second.
package struct TakeSnapshot: Encodable, Equatable, Sendable {
    /// The application that plays on an output which is not recorded.
    package struct AudioUnrecorded: Encodable, Equatable, Sendable {
        package let application: String
        /// For `--audio output:NAME`.
        package let audioOutput: String
        /// The output's name for a person.
        package let description: String
    }

    package let id: String
    package let pid: Int32
    /// `starting`, `recording`, `broadcasting` (without a file), `paused`, `finishing`, `ended`, `silent` (the engine
    /// does not answer) or `died` (the file may have to be recovered).
    package var phase: String
    /// As it was asked for.
    package let source: String
    /// Its name for a person.
    package let sourceName: String
    package let output: String?
    /// Seconds since 1970, UTC.
    package let started: Double
    /// Seconds without pauses; in a page at `runsSince`.
    package var duration: Double?
    /// The instant from which recorded time is added to `duration`, in seconds of CLOCK_MONOTONIC; nil: it stands, or
    /// there are counts.
    package var runsSince: Double?
    package var bytes: Int64?
    package var framesDrawn: Int?
    package var framesUnchanged: Int?
    package var framesDropped: Int?
    package var destinations: [DestinationSnapshot]?
    /// Seconds.
    package let clipBuffer: Double?
    /// The camera that is shown, as requested.
    package var camera: String?
    package var cameraLayout: CameraLayout?
    /// The size of the camera's own frames; nil: it has given none.
    package var cameraSize: PixelSize?
    /// Whether the microphone is recorded; nil in a take without one.
    package var microphone: Bool?
    /// Whether the audio that is played is recorded; nil in a take without it.
    package var appAudio: Bool?
    package var audioUnrecorded: AudioUnrecorded?
    /// Why the source stands still, as in the event `sourceInterrupted`, and since when, in seconds since 1970.
    package var interruption: String?
    package var interruptedSince: Double?
    /// A sentence about the source while it stands still.
    package var message: String?
    /// The rules of `--exclude` that match no window.
    package var unmatchedExclusions: [String]?
    /// The name of the app that records itself or the screen.
    package let app: String?
    /// True: the engine has another protocol, so only its status and its end are known.
    package var otherVersion: Bool?

    /// - Parameter phase: of a take whose engine does not answer.
    package init(_ record: TakeRecord, _ phase: String) {
        (id, pid, started, source, output) = (record.id, record.pid, record.started, record.source, record.output)
        (sourceName, clipBuffer, app) = (
            record.sourceName ?? record.source, record.clipBuffer?.seconds, record.app?.name
        )
        self.phase = phase
    }

    /// - Parameter counts: nil: without.
    package init(_ view: TakeView, counts: TakeProgress? = nil) {
        let (record, status) = (view.record, view.status)
        // The end says whether there is a file.
        output = view.ending == nil ? view.output ?? record.output : view.output
        (id, pid, started, source) = (record.id, record.pid, record.started, status.source)
        (sourceName, clipBuffer, app) = (view.sourceName, record.clipBuffer?.seconds, record.app?.name)
        phase =
            view.phase == .recording && output == nil && !status.destinations.isEmpty
            ? "broadcasting" : view.phase.rawValue
        (duration, runsSince) = (view.recorded.seconds, view.runsSince.map { Double($0) / 1e9 })
        if let counts {
            (duration, runsSince, bytes) = (counts.duration.seconds, nil, counts.bytes)
            framesDrawn = counts.framesDrawn
            framesUnchanged = counts.framesUnchanged
            framesDropped = counts.framesDropped
        }
        destinations = (counts?.destinations ?? status.destinations)
            .map { DestinationSnapshot($0, hasCounts: counts != nil) }
        (camera, cameraLayout, cameraSize) = (status.camera?.device, status.camera?.layout, status.cameraSize)
        (microphone, appAudio) = (status.isMicrophoneOn, status.isAppAudioOn)
        audioUnrecorded = status.unrecordedAudio.map {
            AudioUnrecorded(application: $0.application, audioOutput: $0.output, description: $0.description)
        }
        (interruption, interruptedSince) = (status.interruption?.reason.rawValue, status.interruptedSince)
        message = view.interruptionSentence
        if !status.unmatchedExclusions.isEmpty { unmatchedExclusions = status.unmatchedExclusions }
        if !view.isSameProtocol { otherVersion = true }
    }

    /// The file of the recording; nil: there is none, or it goes to standard output.
    package var file: String? { output == TakeConfiguration.standardOutput ? nil : output }

    /// Whether the take can still be ended.
    package var isOpen: Bool { ["starting", "recording", "broadcasting", "paused"].contains(phase) }
}
