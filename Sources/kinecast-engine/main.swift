// The engine's process: one take, for the client that started it and that is connected on descriptor 3.
import CLinux
import FoundationEssentials
import Glibc
import KineEngine
import KinePlatform
import KineRelay
import SystemPackage

/// Prints what a client asked to know instead of recording, and leaves.
func answer(_ value: some Encodable) -> Never {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let json = try? encoder.encode(value),
        (try? FileDescriptor.standardOutput.writeAll(json + [UInt8(ascii: "\n")])) != nil
    else { exit(ExitStatus.storageFailed) }
    exit(0)
}

switch CommandLine.arguments.dropFirst().first {
case "--list-sources": answer(SourceSurvey.list())
case "--doctor": answer(Doctor.examine())
default: break
}

// No other process of this user may read its memory or its environment. Portals refuse such a caller: whatever speaks to them has
// to be a process of its own.
kine_forbid_dump()

// A client or an audio server that goes away is an error where it is written to, not the end of the process.
signal(SIGPIPE, SIG_IGN)

do throws(ControlError) {
    let host = try EngineHost(client: FileDescriptor(rawValue: 3))
    exit(host.run())
} catch {
    _ = try? FileDescriptor.standardError.writeAll(
        "kinecast-engine: \(error.description) Run kinecast record instead.\n".utf8)
    exit(ExitStatus.usage)
}
