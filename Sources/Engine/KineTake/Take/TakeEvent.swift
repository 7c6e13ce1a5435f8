// The events of a take for its owner, and the reasons why it cannot begin or go on, with a sentence for each.
import KineCapture
import KineCodecs
import KineContainers
import KineMedia
import KinePlatform
import KinePulse
import SystemPackage

package enum TakeError: Error, Sendable {
    case virtualSession(VirtualSession.Error)
    case audio(AudioCapture.Error)
    case audioEncoder(AudioEncoderError)
    /// The file cannot be created, or not even one frame can be written.
    case file(StorageError)
    /// Nothing more can be written. There is a recording up to there.
    case storage(StorageError)
    /// The process cannot create another thread.
    case thread(String, Errno)
    case source(VideoSourceError)
    /// The take has ended, after a stop or for the source's own reason.
    case over(reason: String?)
    case nothingCaptured(isRecorded: Bool)
    /// The take was stopped while it waited for a window.
    case commandWindowNotShown(X11CommandWindow, isRecorded: Bool)
    /// The encoder's sentence.
    case encoder(String)
    /// The service accepts none but these codecs, and the take's video has another.
    case otherCodec([VideoCodec], service: String, VideoCodec)
    case noMemory(String)

    /// The code of `message`, if it has one.
    package var problem: ProblemCode? {
        switch self {
        case .file(let error), .storage(let error): error.problem
        case .source(let error): error.problem
        case .over: ProblemCode(.takeIsOver)
        default: nil
        }
    }

    /// One sentence: what happened, on what, and what to do.
    package var message: String {
        switch self {
        case .virtualSession(let error): error.sentence
        case .audio(let error): error.sentence
        case .audioEncoder(let error): error.description
        case .file(let error): "\(error.description)."
        case .storage(let error): error.sentenceAfterRecording
        case .thread(let name, let error): DedicatedThread.explanation(of: error, thread: name)
        case .source(let error): error.sentence
        case .over(let reason): "The take is over\(reason.map { ", as \($0)" } ?? ""); start another."
        case .nothingCaptured(let isRecorded):
            "The take ended before its first frame, so nothing was "
                + (isRecorded ? "recorded; record for longer." : "broadcast; let it run for longer.")
        case .commandWindowNotShown(let window, let isRecorded):
            "The take ended before COMMAND had opened a \(window.words), so nothing was "
                + "\(isRecorded ? "recorded" : "broadcast"); COMMAND has to run until it is shown."
        case .encoder(let sentence), .noMemory(let sentence): sentence
        case .otherCodec(let wanted, let service, let codec):
            "\(service) wants video encoded as \(wanted.map(\.rawValue).joined(separator: " or ")), and this take's is "
                + "\(codec.rawValue); use another service."
        }
    }
}

extension StorageError {
    /// The sentence on a failure in the middle of a take.
    var sentenceAfterRecording: String {
        if case .shortened(let path) = self {
            return "\(description); what is left of it may play, and kinecast recover \(path) finishes it."
        }
        return sentence(keeping: "is kept")
    }

    /// - Parameter kept: completes "what was recorded …", as "is kept" does.
    package func sentence(keeping kept: String) -> String {
        switch self {
        case .readerGone, .readerStalled: "\(description); what was read of the recording plays."
        default: "\(description); what was recorded \(kept)."
        }
    }
}

/// The events of a take. Instants are nanoseconds of CLOCK_MONOTONIC.
package enum TakeEvent: Sendable {
    /// One sentence for the person at the client.
    case warning(String)
    /// The frame has to be encoded again at that instant although it stands still.
    case needsFrame(at: Int64)
    /// The source waits for a window of COMMAND.
    case commandAwaited(at: Int64)
    /// The first frame was captured.
    case began(at: Int64)
    /// The audio that the take waits for has begun to come.
    case audioArrived
    /// The source came to its natural end; a few words.
    case sourceEnded(String, at: Int64)
    /// Another source is shown, or the reason why not.
    case sourceSwitched(TakeError?)
    /// The camera is shown, and its own frames have this size, which they did not have before.
    case cameraShown(PixelSize)
    /// An application plays on an output which the take does not record, while the recorded output is silent.
    case audioUnrecorded(UnrecordedAudio)
    /// The levels of the audio while they are measured (`AudioPipeline.measureLevels`), ten times a second at most, after they have
    /// changed.
    case audioLevels(AudioLevels)
    /// The source stands still; nil: it works again.
    case interrupted(SourceInterruption?)
    /// The excluded windows that the source found; nil where it excludes none.
    case exclusions(ExclusionFindings?)
    /// A file of a split recording is finished, and the recording has continued in the one at this path.
    case recordingContinued(in: String)
    /// Nothing more can be written to the file.
    case recordingFailed(TakeError)
    /// The take could not begin, or cannot go on.
    case failed(TakeError)
}

/// Gets the events of one take, on any of its threads. It must not block.
package protocol TakeObserver: AnyObject, Sendable {
    func observe(_ event: TakeEvent)
}
