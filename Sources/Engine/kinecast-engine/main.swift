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

// Without this, a file that reaches the limit of ulimit -f would end the process instead of causing an error.
signal(SIGXFSZ, SIG_IGN)

/// Reads a client's request about a recording from standard input, prints the answer, and exits.
func answerEditRequest() -> Never {
    guard let bytes = try? FileDescriptor.standardInput.readToEnd(atMost: 16 << 20),
        let request = try? JSONDecoder().decode(EditRequest.self, from: Data(bytes))
    else {
        _ = try? FileDescriptor.standardError.writeAll(
            "kinecast-engine: the request cannot be read. Run kinecast trim or kinecast thumbnail instead.\n".utf8)
        exit(ExitStatus.usage)
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

/// Serves the app that is connected on descriptor 3, and exits.
func serveDesktop() -> Never {
    // The clipboard may contain a secret. A bus or an app that has ended is an error, not the end of the process.
    kine_forbid_dump()
    signal(SIGPIPE, SIG_IGN)
    do throws(ControlError) {
        exit(try DesktopCompanion(client: FileDescriptor(rawValue: 3)).run())
    } catch {
        _ = try? FileDescriptor.standardError.writeAll("kinecast-engine: \(error.description)\n".utf8)
        exit(ExitStatus.usage)
    }
}

/// Asks the desktop's portal for the engine that is connected on descriptor 3, and exits.
func castScreen() -> Never {
    // Dumpable: a portal reads this process's /proc. It has no frame, audio or setup info. A bus or an engine that has
    // ended is an error, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    do throws(ControlError) {
        exit(try ScreenCastHelperProcess(engine: FileDescriptor(rawValue: 3)).run())
    } catch {
        _ = try? FileDescriptor.standardError.writeAll("kinecast-engine: \(error.description)\n".utf8)
        exit(ExitStatus.usage)
    }
}

/// Makes pictures for the studio that is connected on descriptor 3, and exits.
func survey() -> Never {
    // Pictures show what is private. A display server or a studio that has ended is an error, not the end of the process.
    kine_forbid_dump()
    signal(SIGPIPE, SIG_IGN)
    do throws(ControlError) {
        exit(try PictureSurvey(client: FileDescriptor(rawValue: 3)).run())
    } catch {
        _ = try? FileDescriptor.standardError.writeAll("kinecast-engine: \(error.description)\n".utf8)
        exit(ExitStatus.usage)
    }
}

switch CommandLine.arguments.dropFirst().first {
case "--edit": answerEditRequest()
case "--desktop": serveDesktop()
case "--screen-cast": castScreen()
case "--survey": survey()
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
    _ = try? FileDescriptor.standardError.writeAll(
        "kinecast-engine: \(error.description) Run kinecast record instead.\n".utf8)
    exit(ExitStatus.usage)
}
