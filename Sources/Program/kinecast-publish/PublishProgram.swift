// The executable of the built-in extensions. They are one, since most of it is the network library that all of them use.
import CLinux
import Glibc
import KineBroadcast
import KineWire
import KinecastExtension
import SystemPackage

/// `kinecast-publish live`; for a service that publishes to a server, such as `rtmp`, `kinecast-publish rtmp` or
/// `kinecast-publish rtmp --check`.
@main enum PublishProgram {
    /// The services that publish to a server.
    private static let publishers: [any PublisherDestination.Type] = [RTMPDestination.self]

    @MainActor
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let service = arguments.first ?? ""
        let publisher = publishers.first { $0.services.contains(service) }
        // Must come before a stream key is in this process's memory.
        if publisher != nil { kine_forbid_dump() }
        PassedFiles.forbidExecution()
        if let publisher, arguments.count == 1 {
            await publisher.runBroadcast()
        } else if let publisher, arguments.dropFirst() == [DestinationReport.option] {
            await publisher.runCheck()
        } else if arguments.isEmpty || arguments == ["live"] {
            // The executable of a bundle gets no arguments.
            await LiveHandler.main()
        } else {
            let sentence = "kinecast-publish is started by Kinecast's engine: run kinecast broadcast.\n"
            _ = try? FileDescriptor.standardError.writeAll(sentence.utf8)
            exit(64)
        }
    }
}
