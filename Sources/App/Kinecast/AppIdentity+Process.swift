// The identity of the app that this library is linked into.
import KineMedia
import KinePlatform
import SystemPackage

extension AppIdentity {
    /// The one in `kinecast-app.json` beside this process's executable; without such a file the executable's name.
    static func ofThisProcess(executable: String? = ExecutableSearch.own) throws(RecordingError) -> AppIdentity {
        guard let executable else {
            throw RecordingError(.unavailable, "/proc is not there; give the recorder the app's identity.")
        }
        do throws(FileProblem) {
            return try of(executable: FilePath(escaped: executable))
        } catch {
            switch error {
            case .unreadable(let file, let errno):
                throw RecordingError(.unavailable, "\(file) cannot be read (\(errno)); correct its permissions.")
            case .damaged(let file, let problem):
                throw RecordingError(.unavailable, "In \(file), \(problem); correct it.")
            }
        }
    }

    /// An identity given in code, which becomes part of a path; this process's where none is given.
    static func checked(_ given: AppIdentity?) throws(RecordingError) -> AppIdentity {
        guard let given else { return try ofThisProcess() }
        guard given.identifier.isServiceID else {
            throw RecordingError(
                .unavailable,
                "The app's identifier “\(given.identifier.printable(limit: 100))” \(String.serviceIDRule).")
        }
        return given
    }
}
