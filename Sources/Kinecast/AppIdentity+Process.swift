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
            return AppIdentity(identifier: name)
        } catch {
            throw RecordingError(.unavailable, "\(file) cannot be read (\(error)); correct its permissions.")
        }
        do throws(ServiceManifest.Problem) {
            return try AppIdentity.read(bytes)
        } catch {
            throw RecordingError(.unavailable, "In \(file), \(error); correct it.")
        }
    }
}
