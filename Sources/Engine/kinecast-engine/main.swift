// The engine's process: one take for the client that started it, connected on descriptor 3.
import CLinux
import FoundationEssentials
import Glibc
import KineDesktop
import KineHost
import KinePlatform
import KineWire
import SystemPackage

/// Prints a line of JSON. Returns whether the client can have it.
func printLine(_ value: some Encodable) -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let json = try? encoder.encode(value) else { return false }
    return (try? FileDescriptor.standardOutput.writeAll(json + [UInt8(ascii: "\n")])) != nil
}

/// Prints the answer to a client's request, and exits.
func answer(_ value: some Encodable) -> Never { exit(printLine(value) ? 0 : ExitStatus.storageFailed) }

/// Says why this process does nothing, and exits.
func refuse(_ sentence: String) -> Never {
    _ = try? FileDescriptor.standardError.writeAll("kinecast-engine: \(sentence)\n".utf8)
    exit(ExitStatus.usage)
}

// Without this, a file that reaches the limit of ulimit -f would end the process instead of causing an error.
signal(SIGXFSZ, SIG_IGN)

/// Reads a client's request about a recording from standard input, prints the answer, and exits.
func answerEditRequest() -> Never {
    guard let bytes = try? FileDescriptor.standardInput.readToEnd(atMost: 16 << 20),
        let request = try? JSONDecoder().decode(EditRequest.self, from: Data(bytes))
    else {
        refuse("the request cannot be read. Run kinecast trim or kinecast thumbnail instead.")
    }
    do throws(Errno) {
        try request.confineProcess()
    } catch {
        let reason =
            "The engine cannot confine itself (\(error)), and so reads no recording; start it outside of other sandboxes."
        answer(EditAnswer.failed(EditFailure(code: .unavailable, message: reason)))
    }
    answer(request.answer { _ = printLine($0) })
}

/// Serves the process that is connected on descriptor 3, and exits.
func serve(_ run: (FileDescriptor) throws(ControlError) -> Int32) -> Never {
    // A bus, a display server or a client that has ended is an error, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    do throws(ControlError) { exit(try run(FileDescriptor(rawValue: 3))) } catch { refuse(error.description) }
}

switch CommandLine.arguments.dropFirst().first {
case "--edit": answerEditRequest()
case "--desktop":
    // The clipboard may contain a secret.
    kine_forbid_dump()
    serve { app throws(ControlError) in try DesktopCompanion(client: app).run() }
case "--screen-cast":
    // Dumpable: a portal reads this process's /proc. It has no frame, audio or setup info.
    serve { engine throws(ControlError) in try ScreenCastHelperProcess(engine: engine).run() }
case "--survey":
    // Pictures show what is private.
    kine_forbid_dump()
    serve { studio throws(ControlError) in try PictureSurvey(client: studio).run() }
case "--inhibit":
    // Dumpable, as for a screen cast.
    signal(SIGPIPE, SIG_IGN)
    InhibitPortal.hold()
    exit(0)
case "--list-sources": answer(SourceSurvey.list())
case "--doctor": answer(Doctor.examine())
default: break
}

// No other process of this user may read this one's memory or environment. Portals refuse such a process, so their
// requests need another one.
kine_forbid_dump()

// Writing to a client or an audio server that has ended is an error, not the end of the process.
signal(SIGPIPE, SIG_IGN)

// This variable would change the size of the requested audio buffers, and so the recording's latency.
unsetenv("PULSE_LATENCY_MSEC")

do throws(ControlError) {
    let host = try EngineHost(client: FileDescriptor(rawValue: 3))
    exit(host.run())
} catch {
    refuse("\(error.description) Run kinecast record instead.")
}
