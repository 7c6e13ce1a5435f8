// The files that a service's settings name, opened for its executable, which cannot open them. Linux.
import KineText
import KineWire
import SystemPackage

/// The descriptors that an executable gets after its control channel, from 4 on; `PassedDescriptors` reads them.
public struct SettingFiles {
    public private(set) var descriptors: [FileDescriptor] = []
    private var keys: [String] = []
    private var files: [FileDescriptor] = []

    /// Opens the files. A file that cannot be opened is left out; the executable reports that.
    ///
    /// - Parameter listener: the socket for the manifest's `listen`; the caller closes it.
    public init(of service: Service, setupInfo: [String: String], listener: FileDescriptor? = nil) {
        if let listener, let key = service.manifest.listen {
            descriptors.append(listener)
            keys.append(key)
        }
        for field in service.manifest.setup where field.isFile && keys.count < PassedDescriptors.limit {
            // Non-blocking, since it may be a pipe without a writer.
            guard let path = setupInfo[field.key], !path.isEmpty,
                let file = try? FileDescriptor.open(
                    FilePath(escaped: path), .readOnly, options: [.closeOnExec, .nonBlocking])
            else { continue }
            descriptors.append(file)
            files.append(file)
            keys.append(field.key)
        }
    }

    /// The environment entry with their keys.
    public var environment: [String] { keys.isEmpty ? [] : [PassedDescriptors.entry(keys)] }

    /// Closes the files. Call when the child has its own.
    public func close() { for file in files { try? file.close() } }
}
