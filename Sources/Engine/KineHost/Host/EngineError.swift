// The errors of an engine's requests, with a sentence for each.
import KineCapture
import KineContainers
import KineMedia
import KinePlatform
import KineServices
import KineTake
import KineTakes
import KineText
import KineWire

/// Why an engine refuses a request or ends a take.
enum EngineError: Error, Sendable {
    case take(TakeError)
    case configuration(TakeConfiguration.Problem)
    case registry(TakeRegistry.Error)
    /// A client's request that this version does not know or cannot read.
    case otherVersion
    /// Required settings of a client that this version does not know, by their keys.
    case unknownSettings([String])

    // Destinations
    case unconfined(Set<Sandbox.Layer>)
    case unknownService(String, installed: [String])
    case missingExecutable(Service)
    case setup(Service.SetupProblem)
    case noDestinationLeft
    /// A destination cannot be added or removed before the first frame.
    case notBegun
    case tooManyDestinations(Int)
    case noSuchDestination(Int, running: [Int])
    /// The take would have no output left.
    case lastDestination

    // Permission
    case refused(PermissionStateMachine.Refusal, Set<PermissionKind>, PermissionSubject)
    case unknownProgram

    var failure: TakeFailure {
        TakeFailure(exitStatus: exitStatus, message: message, problem: problem, alternative: alternative)
    }
    var refusal: Refusal { Refusal(code, message, problem: problem, alternative: alternative) }

    /// The code of `message`, if it has one.
    private var problem: ProblemCode? {
        switch self {
        // A person who cancels has no problem.
        case .take(.source(.regionCancelled)), .take(.source(.screenCastDeclined)): ProblemCode(.cancelled)
        case .take(let error): error.problem
        case .refused, .unknownProgram: ProblemCode(.notPermitted)
        default: nil
        }
    }

    private var alternative: Alternative? {
        switch self {
        case .take(.file(let error)): error.alternative
        case .take(.source(let error)): error.alternative
        case .take(.audio(.noServer)): .recordSilently
        default: nil
        }
    }

    private var exitStatus: Int32 {
        if case .noDestinationLeft = self { ExitStatus.destinationFailed } else { code.exitStatus }
    }

    private var code: Refusal.Code {
        switch self {
        case .configuration, .setup, .take(.source(.noWindowDialog)): .invalidRequest
        case .otherVersion, .unknownSettings: .otherVersion
        case .take(.file(let error)): error.isCreationFailure ? .cannotCreate : .storageFailed
        case .take(.storage): .storageFailed
        case .refused, .unknownProgram, .take(.source(.regionCancelled)), .take(.source(.screenCastDeclined)):
            .notPermitted
        default: .unavailable
        }
    }

    /// One sentence: what happened, to which object, and what to do.
    var message: String {
        switch self {
        case .take(let error): error.message
        case .configuration(let problem): problem.description
        case .registry(let error): error.description
        case .otherVersion:
            "The program and the engine are of different versions of Kinecast, between which a take can only be "
                + "looked at and ended; build the app again with the version that is installed, or start the take again."
        case .unknownSettings(let names):
            "This version of kinecast-engine does not know what the program requires of the take "
                + "(\(names.joined(separator: ", ").printable(limit: 200))); install the version that the program was "
                + "built with, or a later one."
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

extension TakeError {
    var failure: TakeFailure { EngineError.take(self).failure }
}

extension StorageError {
    /// An alternative for the person.
    var alternative: Alternative? { if case .alreadyExists = self { .replaceFile } else { nil } }
}

extension VideoSourceError {
    /// An alternative for the person.
    var alternative: Alternative? {
        switch kind {
        case .noDisplay where self == .noDisplay: .recordVirtualScreen
        case .noWindowsOnWayland: .chooseWindow
        case .noWindowDialog: .nameWindow
        case .noRegion: .giveRegion
        default: nil
        }
    }
}
