// The identity of the app that this library is linked into.
import FoundationEssentials
import KinePlatform
import KineRelay
import KineServices
import SystemPackage

extension AppIdentity {
    /// The one in `kinecast-app.json` beside this process's executable; without such a file the executable's name.
    static func ofThisProcess(executable: String? = ExecutableSearch.own) throws(RecordingError) -> AppIdentity {
        guard let path = executable.map({ FilePath($0) }), let name = path.lastComponent?.string else {
            throw RecordingError(.unavailable, "/proc is not there; give the recorder the app's identity.")
        }
        let file = path.removingLastComponent().appending(fileName)
        let bytes: [UInt8]
        do {
            let descriptor = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? descriptor.close() }
            bytes = try descriptor.readToEnd(atMost: ServiceManifest.fileLimit + 1)
        } catch Errno.noSuchFileOrDirectory {
            return AppIdentity(identifier: name.asIdentifier, name: name)
        } catch {
            throw RecordingError(.unavailable, "\(file) cannot be read (\(error)); correct its permissions.")
        }
        do throws(ServiceManifest.Problem) {
            return try AppIdentity.read(bytes)
        } catch {
            throw RecordingError(.unavailable, "In \(file), \(error); correct it.")
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

extension String {
    /// An executable's name, with a hyphen for each character that an identifier may not have.
    fileprivate var asIdentifier: String {
        let name = String(map { String($0).isServiceID || "._-".contains($0) ? $0 : "-" }.prefix(80))
        return name.isServiceID ? name : "app" + name
    }
}
