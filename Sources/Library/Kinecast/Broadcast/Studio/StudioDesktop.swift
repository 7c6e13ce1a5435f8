// The desktop on which the studio shows its windows: the server's socket, its program, and the browser.
import KineClient
import KinePlatform
import KineTakes
import KineText
import KineWire
import SystemPackage

struct StudioDesktop: Sendable {
    /// Nanoseconds for the server to start, and to answer.
    private static let timeout: Int64 = 20_000_000_000
    private static let retryInterval: Int64 = 50_000_000
    private static let program = "kinecast-studio"

    var locator = EngineLocator()
    var hasDisplay = StudioBrowser.hasDisplay
    /// `NAME=value` strings for the server, which override those of this process.
    var environment: [String] = []
    /// The server's socket. Throws if there is no directory for it.
    var socket: @Sendable () throws -> FilePath = { try TakeRegistry.standard().studioSocket }
    var opener: @Sendable (StudioLink) async throws(BroadcastError) -> Void = StudioDesktop.openBrowser

    /// Begins a sheet. Blocks until the server has answered.
    func present(_ app: SheetApp) throws(BroadcastError) -> (StudioConversation.Connection, StudioLink) {
        guard hasDisplay else {
            throw Self.error("There is no desktop here to ask on; run the app in a terminal, or on a desktop.")
        }
        let deadline = MonotonicClock.now() + Self.timeout
        let connection = try connect(until: deadline)
        let reply: StudioReply?
        do throws(ControlError) {
            try connection.send(.present(app))
            reply = try connection.receive(until: deadline).first
        } catch {
            reply = nil
        }
        switch reply {
        case .link(let link): return (connection, link)
        case .refused(let sentence): throw Self.error(sentence)
        case .answer, .perform, .stop, nil:
            throw Self.error(
                "The studio does not answer, or is of another version; end it with kinecast studio --quit, and try again."
            )
        }
    }

    func open(_ link: StudioLink) async throws(BroadcastError) { try await opener(link) }

    /// Starts the server where none listens.
    private func connect(until deadline: Int64) throws(BroadcastError) -> StudioConversation.Connection {
        let path: FilePath
        do { path = try socket() } catch { throw Self.error("\(error)") }
        var started: ChildProcess?
        while true {
            do throws(ControlError) {
                return try StudioConversation.Connection(connectingTo: path)
            } catch {
                guard case .closed = error else { throw Self.error("The studio cannot be asked: \(error).") }
            }
            if let process = started {
                // A second server ends because of the first one, whose socket is then there.
                if case .exited(let status)? = process.poll(), status != 0 {
                    throw Self.error("The studio could not be started; kinecast studio in a terminal says why.")
                }
            } else {
                started = try start()
            }
            guard MonotonicClock.now() < deadline else {
                throw Self.error("The studio did not start in time; try kinecast studio in a terminal.")
            }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + Self.retryInterval)
        }
    }

    private func start() throws(BroadcastError) -> ChildProcess {
        guard let program = locator.neighbour(Self.program) else {
            throw Self.error("There is no \(Self.program) beside the engine; install Kinecast completely.")
        }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        options.newSession = true
        do throws(Errno) {
            let process = try ChildProcess(
                executable: program.escaped, arguments: ["--no-browser"],
                environment: ProcessEnvironment.merging(ProcessEnvironment.current, environment), options: options)
            // It outlives the sheet, and would become a zombie.
            _ = try DedicatedThread(starting: "kine-studio-end") { _ = process.wait() }
            return process
        } catch {
            throw Self.error("\(program.escaped) cannot be started (\(error)); check its permissions.")
        }
    }

    /// Opens the link in the person's browser.
    @Sendable static func openBrowser(_ link: StudioLink) async throws(BroadcastError) {
        let programs =
            StudioBrowser.command(for: link).map { [DesktopProgram(name: $0.program, arguments: $0.arguments)] }
            ?? DesktopProgram.openers.map { DesktopProgram(name: $0.name, arguments: $0.arguments + [link.file]) }
        do {
            try await DesktopProgram.start(programs, adding: [], remedy: "", timeout: DesktopProgram.timeout)
        } catch {
            throw Self.error(
                "No browser could be started for the studio's window; install Chromium, or run the app in a terminal.")
        }
    }

    private static func error(_ sentence: String) -> BroadcastError { BroadcastError(.noPresenter, sentence) }
}
