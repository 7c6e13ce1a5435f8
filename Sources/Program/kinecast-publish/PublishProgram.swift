// The executable of the built-in extensions. They are one, since most of it is the network library that both use.
import CLinux
import Glibc
import KineWire
import KinecastExtension
import SystemPackage

/// `kinecast-publish live`, `kinecast-publish rtmp` or `kinecast-publish rtmp --check`.
@main enum PublishProgram {
    @MainActor
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Must come before a stream key is in this process's memory.
        if arguments.first == "rtmp" { kine_forbid_dump() }
        PassedFiles.forbidExecution()
        switch arguments {
        case ["rtmp"]: await RTMPBroadcastHandler.main()
        case ["rtmp", DestinationReport.option]: await RTMPDestinationCheck.run()
        // The executable of a bundle gets no arguments.
        case [], ["live"]: await LiveHandler.main()
        default:
            let sentence = "kinecast-publish is started by Kinecast's engine: run kinecast broadcast.\n"
            _ = try? FileDescriptor.standardError.writeAll(sentence.utf8)
            exit(64)
        }
    }
}
