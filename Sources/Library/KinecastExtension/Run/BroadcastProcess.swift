// The process of an extension: from its descriptor 3 to its exit status.
import CLinux
import Glibc
import KinePlatform
import KineWire
import SystemPackage

enum BroadcastProcess {
    /// The extension's end of the control socket; the engine passes it under this number.
    private static let control = FileDescriptor(rawValue: 3)

    /// Receives one broadcast and ends the process: status 0 if the result was reported to the engine, 64 if no engine
    /// started it. The main thread stays free for the main actor, and Swift's shared pool is not started.
    @MainActor
    static func run(_ make: @escaping @BroadcastActor @Sendable () -> BroadcastSampleHandler) async {
        // This memory will hold the setup info with its secrets: no other process of the user may read it.
        kine_forbid_dump()
        // Writing to a closed connection must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        // By default the C library gives each thread its own heap, but an extension has little memory.
        mallopt(M_ARENA_MAX, 1)
        let session: BroadcastSession
        do throws(ControlError) {
            guard fcntl(control.rawValue, F_GETFD) >= 0 else { throw .closed }
            session = try BroadcastSession(adopting: control)
        } catch {
            let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "This program"
            _ = try? FileDescriptor.standardError.writeAll(
                "\(name) is an upload extension of Kinecast, which starts it by itself; see kinecast broadcast --help.\n"
                    .utf8)
            exit(ExitStatus.usage)
        }
        EngineLink.shared.connect(send: session.send)
        _ = DedicatedThread(name: "control") {
            var loop = ControlLoop(session)
            loop.run()
            // Not exit: a callback may still run, and its globals must not be torn down.
            _exit(0)
        }
        let runner = Task(executorPreference: BroadcastActor.executor) { await receive(make, session) }
        await runner.value
        // The control thread ends the process.
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    @BroadcastActor
    private static func receive(
        _ make: @BroadcastActor @Sendable () -> BroadcastSampleHandler, _ session: BroadcastSession
    ) async {
        await BroadcastRunner(handler: make(), session: session).run()
    }
}
