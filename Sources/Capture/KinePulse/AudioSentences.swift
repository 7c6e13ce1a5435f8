// Sentences about unavailable or missing audio: what happened, on what, and what to do.
import KinePlatform
import KineText

extension AudioCapture.Error {
    public var sentence: String {
        switch self {
        case .noServer(let fault):
            "No audio server answers (\(fault.words)); start PulseAudio or PipeWire, or set PULSE_SERVER."
        case .missing(let missing): missing.sentence
        case .noThread(let errno): DedicatedThread.explanation(of: errno, thread: "audio")
        }
    }
}

extension AudioWarning {
    public var sentence: String {
        switch self {
        case .serverLost(let fault):
            "The audio server is gone (\(fault.words)); the recording is silent until it is back."
        case .missing(let missing): missing.sentence
        case .gone(let target): "\(target.words) was unplugged; the recording goes on without it until it is back."
        case .microphoneReplaced(let description):
            "The microphone is \(description.printable(limit: 100)) from now on, since it or the desktop's choice has changed."
        case .microphoneChanges(let count):
            "The microphone changed or went away \(count) times; the recording is silent where there was none."
        case .inaudible(let audio): audio.sentence
        case .unrecorded(let audio): audio.sentence
        case .silentMicrophone(let seconds):
            "The microphone has given digital silence for \(seconds) seconds; check that it is on and not muted."
        }
    }
}

extension InaudibleAudio {
    fileprivate var sentence: String {
        let name = name.printable(limit: 100)
        let subject = if case .application = target { "The audio of \(name)" } else { "The output \(name)" }
        return switch level {
        case .faint: "\(subject) is turned down below -60 dB, and so is its recording; turn it up."
        case .audible, .muted: "\(subject) is muted, so its recording is silent; unmute it."
        }
    }
}

extension AudioTarget {
    /// For the beginning of a sentence.
    fileprivate var words: String {
        switch self {
        case .defaultOutput: "The audio output"
        case .everything: "The last audio output"
        case .output(let name): "The output \(name)"
        case .application(let name): "The audio of \(name)"
        case .defaultMicrophone: "The microphone"
        case .microphone(let name): "The microphone \(name)"
        }
    }
}

extension AudioServerFault {
    /// For the middle of a sentence.
    package var words: String {
        switch self {
        case .noLibrary: "Debian's libpulse0 is not installed"
        case .pulse(let error): error.description
        case .outOfMemory: "out of memory"
        case .noAnswer(let seconds): "it does not answer within \(seconds) seconds"
        case .cancelled: "the take was ended before it answered"
        }
    }
}

extension MissingAudio {
    fileprivate var sentence: String {
        let instead = existing.isEmpty ? "" : " (there is: \(existing.joined(separator: ", ")))"
        return switch target {
        case .defaultOutput, .everything: "The audio server has no output; the recording is silent until one appears."
        case .output(let name): "There is no output called \(name)\(instead); see kinecast sources for the names."
        case .application(let name):
            "No application called \(name) plays audio\(instead); its track is silent until it does."
        case .defaultMicrophone where monitoredOutput != nil:
            "The default microphone is what \((monitoredOutput ?? "").printable(limit: 100)) plays, which is recorded already; choose another "
                + "one with --mic NAME, which kinecast sources lists."
        case .defaultMicrophone: "The audio server has no microphone; plug one in, or record without it."
        case .microphone(let name):
            "There is no microphone called \(name)\(instead); see kinecast sources for the names."
        }
    }
}

extension AudioTarget {
    /// A sentence for a device that exists and has delivered nothing, not even silence.
    public var undeliveredSentence: String {
        let name = isMicrophone ? "microphone" : "audio output"
        return "The \(name) has delivered nothing for 5 seconds; the take goes on, and is silent until it does."
    }
}
