// The reasons why a take cannot begin or go on, with a sentence for each.
import KineCapture
import KineCodecs
import KineContainers
import KinePlatform
import KineServices
import KineWire
import SystemPackage

enum TakeError: Error, Sendable {
    case configuration(TakeConfiguration.Problem)
    case registry(TakeRegistry.Error)
    case virtualSession(VirtualSession.Error)
    /// A client's request that this version does not know, or cannot read.
    case otherVersion
    /// Settings that a client requires and this version does not know, by their keys.
    case unknownSettings([String])
    case audio(AudioCapture.Error)
    case audioEncoder(AACEncoder.Error)
    /// The file cannot be made, or takes not even one frame.
    case file(StorageError)
    /// Nothing more can be written. There is a recording up to there.
    case storage(StorageError)
    /// The process may have no more threads.
    case thread(String, Errno)
    case source(VideoSourceError)
    /// The take has ended, after a stop or for the source's own reason.
    case over(reason: String?)
    case nothingCaptured(isRecorded: Bool)
    /// It was stopped while it waited for a window.
    case commandWindowNotShown(X11CommandWindow, isRecorded: Bool)
    /// The encoder's sentence.
    case encoder(String)

    // Destinations
    case unconfined(Set<Sandbox.Layer>)
    case unknownService(String, installed: [String])
    case missingExecutable(Service)
    case setup(Service.SetupProblem)
    case unknownCodec(String, service: String)
    case noMemory(String)
    case noDestinationLeft
    /// One is to be added or removed, and no frame has been captured yet.
    case notBegun
    case tooManyDestinations(Int)
    case noSuchDestination(Int, running: [Int])
    /// The take would have nothing left to do.
    case lastDestination

    // Permission
    case refused(PermissionStateMachine.Refusal, Set<PermissionKind>, PermissionSubject)
    case unknownProgram

    var failure: TakeFailure { TakeFailure(exitStatus: exitStatus, message: message, alternative: alternative) }
    var refusal: Refusal { Refusal(code, message, alternative: alternative) }

    private var alternative: Alternative? {
        switch self {
        case .file(let error): error.alternative
        case .source(let error): error.alternative
        case .audio(.noServer): .recordSilently
        default: nil
        }
    }

    private var exitStatus: Int32 {
        if case .noDestinationLeft = self { ExitStatus.destinationFailed } else { code.exitStatus }
    }

    private var code: Refusal.Code {
        switch self {
        case .configuration, .setup, .source(.noWindowDialog): .invalidRequest
        case .otherVersion, .unknownSettings: .otherVersion
        case .file(let error): error.isCreationFailure ? .cannotCreate : .storageFailed
        case .storage: .storageFailed
        case .refused, .unknownProgram, .source(.regionCancelled), .source(.screenCastDeclined): .notPermitted
        default: .unavailable
        }
    }

    /// One sentence: what happened, on what, and what to do.
    var message: String {
        switch self {
        case .configuration(let problem): problem.description
        case .registry(let error): error.description
        case .virtualSession(let error): error.sentence
        case .otherVersion:
            "The program and the engine are of different versions of Kinecast, between which a take can only be "
                + "looked at and ended; build the app again with the version that is installed, or start the take again."
        case .unknownSettings(let names):
            "This version of kinecast-engine does not know what the program requires of the take "
                + "(\(names.joined(separator: ", ").printable(limit: 200))); install the version that the program was "
                + "built with, or a later one."
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
        case .unconfined(let layers):
            "Extensions cannot be confined by "
                + Sandbox.Layer.allCases.filter(layers.contains).map(\.rawValue).joined(separator: " and ")
                + " here; kinecast doctor says why, or leave out --require-sandbox."
        case .unknownService(let name, let installed):
            "There is no service \(name.printable(limit: 100)); there are \(installed.joined(separator: ", ")), and "
                + "kinecast services install adds one."
        case .missingExecutable(let service):
            "\(service.executable), the executable of the service \(service.id), is not there; "
                + "install \(service.origin == .builtIn ? "Kinecast completely" : "the service again")."
        case .setup(let problem): problem.description
        case .unknownCodec(let codec, let service):
            "\(service) wants video encoded as \(codec), and this engine encodes "
                + "\(TakeEncoder.codec.rawValue) only; use another service."
        case .notBegun: "The take has not begun yet; try again in a moment."
        case .tooManyDestinations(let limit):
            "The take has \(limit) destinations, as many as it may have; remove one first."
        case .noSuchDestination(let number, let running) where running.isEmpty:
            "The take has no destination \(number), and no other that runs; kinecast status shows what there was."
        case .noSuchDestination(let number, let running):
            "No destination of the take that runs has the number \(number); there are "
                + running.map { "\($0)" }.joined(separator: ", ") + ", and kinecast status shows them."
        case .lastDestination:
            "This is the take's last destination and nothing is recorded; end the take, or add another "
                + "destination first."
        case .refused(let refusal, let kinds, let subject): refusal.sentence(kinds, subject)
        case .unknownProgram:
            "The system does not say which program asks to record, so a person cannot allow it; have the program stay visible "
                + "to this user (prctl PR_SET_DUMPABLE)."
        case .noDestinationLeft:
            "Every destination has ended and nothing is recorded; correct what was said of them and start again."
        }
    }
}

extension StorageError {
    /// What a person can do instead.
    var alternative: Alternative? { if case .alreadyExists = self { .replaceFile } else { nil } }

    /// The sentence on a failure in the middle of a take.
    var sentenceAfterRecording: String {
        if case .shortened(let path) = self {
            return "\(description); what is left of it may play, and kinecast recover \(path) finishes it."
        }
        return sentence(keeping: "is kept")
    }

    /// - Parameter kept: the end of "what was recorded …", of a file.
    func sentence(keeping kept: String) -> String {
        switch self {
        case .readerGone, .readerStalled: "\(description); what was read of the recording plays."
        default: "\(description); what was recorded \(kept)."
        }
    }
}
