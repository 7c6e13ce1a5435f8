// One sentence for each error of the registry of takes.
import KinePlatform

extension TakeRegistry.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unusableDirectory(let path, let fault):
            "The directory for running takes, \(path), cannot be used (\(Self.reason(fault))); "
                + "set XDG_RUNTIME_DIR to a directory of your own with mode 0700."
        case .cannotRegister(let path, .fileTooLarge):
            "The take cannot be registered in \(path), since there is a limit on the size of files (ulimit -f); raise it."
        case .cannotRegister(let path, let errno):
            "The take cannot be registered in \(path): \(errno); free some space there or correct its permissions."
        case .control(let error): error.description
        case .nothingRuns: "No take is running; kinecast record starts one."
        case .dead(let take):
            "The engine of take \(take.id) died; \(take.remedy)."
        case .unknown(let typed, let running) where running.isEmpty:
            "No take is called \(typed), and none is running; kinecast record starts one."
        case .unknown(let typed, let running):
            "No take is called \(typed); running: \(Self.names(running))."
        case .nothingDied: "No take has died: there is nothing to dismiss."
        case .unknownDead(let typed, let dead) where dead.isEmpty:
            "No take is called \(typed), and none has died: there is nothing to dismiss."
        case .unknownDead(let typed, let dead):
            "No take is called \(typed); those that died: \(Self.names(dead))."
        case .running(let take): "Take \(take.id) runs; kinecast stop \(take.id) ends it."
        case .ambiguous(let typed?, let takes):
            "\(typed) can mean several takes: \(Self.names(takes)); give more of the id."
        case .ambiguous(nil, let takes):
            "There are several takes: \(Self.names(takes)); say which by its id."
        }
    }

    private static func names(_ takes: [TakeRecord]) -> String {
        takes.map { "\($0.id) (\($0.output ?? $0.source))" }.joined(separator: ", ")
    }

    private static func reason(_ fault: PrivateDirectory.Fault) -> String {
        switch fault {
        case .notADirectory: "something else has that name"
        case .foreign(let uid): "it belongs to user \(uid)"
        case .open(let mode): "others may enter it, its mode is 0\(String(mode, radix: 8))"
        case .system(let errno): "\(errno)"
        }
    }
}
