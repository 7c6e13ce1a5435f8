// The process kinecast-studio: its arguments, its one instance, and its last sentence.
import Glibc
import KineClient
import KineConfiguration
import KinePlatform
import KineProgram
import KineTakes
import KineText
import KineWire
import SystemPackage

/// `kinecast-studio [--no-browser] [--port N] [--public-url URL] [FILE]` or `kinecast-studio --quit`; `kinecast studio` becomes
/// it. The first one is the server; the others open a window on it.
public enum StudioProgram {
    /// Nanoseconds for the running server to answer.
    private static let answerTimeout: Int64 = 10_000_000_000
    private static let retryInterval: Int64 = 50_000_000

    private struct Options {
        var opensBrowser = true
        /// 0: a free one.
        var port = 0
        var publicURL: PublicURL?
        var quits = false
        /// The recording to show, an absolute path.
        var file: String?

        /// Whether a browser gets the link, which is not printed then.
        var opensWindow: Bool { opensBrowser && StudioBrowser.hasDisplay }
    }

    private static let program = HelperProgram("kinecast-studio")

    public static func main() -> Never { program.main { try run(options($0)) } }

    private static func options(_ arguments: [String]) throws(CommandFailure) -> Options {
        var options = Options()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--no-browser": options.opensBrowser = false
            case "--quit": options.quits = true
            case "--port":
                guard let port = rest.popFirst().flatMap({ Int($0) }), (1...65535).contains(port) else {
                    throw .usage("--port takes a number from 1 to 65535.")
                }
                options.port = port
            case "--public-url":
                // In a cookie's attributes, a semicolon would end the path.
                guard let url = rest.popFirst().flatMap({ PublicURL($0) }), !url.path.contains(";"),
                    url.isEncrypted || ["127.0.0.1", "localhost", "::1"].contains(url.host)
                else {
                    throw .usage(
                        "--public-url takes https://HOST, or http:// with localhost, 127.0.0.1 or [::1], and maybe a path."
                    )
                }
                options.publicURL = url
            case _ where argument.hasPrefix("/") && options.file == nil: options.file = argument
            default: throw .usage("\(argument.printable(limit: 100)) is unknown; see kinecast studio --help.")
            }
        }
        return options
    }

    private static func run(_ options: Options) throws {
        // Before any thread exists.
        let signals = SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        signal(SIGPIPE, SIG_IGN)
        // No core file has the settings of services and the addresses with stream keys, which this process reads. 1 and not 0: a program that
        // the kernel pipes cores into gets none then either (core(5)).
        let coreFiles = __rlimit_resource_t(4)  // RLIMIT_CORE, which is not imported
        var limit = rlimit()
        getrlimit(coreFiles, &limit)
        limit.rlim_cur = min(limit.rlim_cur, 1)
        setrlimit(coreFiles, &limit)
        let registry = try TakeRegistry.standard()
        let directory = registry.directory.removingLastComponent()
        let lockFile = directory.appending("studio.lock")
        if options.quits { return try program.quit(lockFile, nothing: "No studio runs.") }
        if let file = options.file { try check(file) }
        let launcher = ProgramLauncher(complain: program.say)
        let socket = registry.studioSocket
        let deadline = MonotonicClock.now() + answerTimeout
        // The server that has the lock may be starting or ending.
        repeat {
            if let lock = try HelperProgram.using(lockFile, { try InstanceLock.claim(lockFile) }) {
                return try withExtendedLifetime(lock) { try serve(options, registry, socket, launcher, signals) }
            }
            guard options.port == 0, options.publicURL == nil else {
                throw CommandFailure.unavailable(
                    "A studio runs already; end it with kinecast studio --quit, or leave out --port and --public-url.")
            }
            if let link = StudioDoor.ask(socket, showing: options.file, opensBrowser: options.opensWindow) {
                let window = show(link, options) { StudioDoor.ask(socket, showing: options.file) }
                // Nobody else reads what is said.
                guard let window, isAtTerminal else { return }
                while window.nextDeadline != nil, signals.next() == nil {
                    PollLoop.wait(for: window, signals, until: MonotonicClock.now() + retryInterval)
                    window.process(at: MonotonicClock.now())
                }
                return
            }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + retryInterval)
        } while MonotonicClock.now() < deadline
        throw CommandFailure.unavailable(
            "A studio runs already and does not answer, or is of another version; end it with kinecast studio --quit.")
    }

    private static func serve(
        _ options: Options, _ registry: TakeRegistry, _ socket: FilePath, _ launcher: ProgramLauncher,
        _ signals: SignalDescriptor
    ) throws {
        guard let own = ExecutableSearch.own else { throw CommandFailure.unavailable("/proc is not there; mount it.") }
        let inbox = Mailbox<StudioLoop.Message>()
        let studio = Studio(inbox, choices: KeptChoice())
        let port: Int
        do throws(Errno) {
            port = try StudioListener.start(port: options.port) {
                await studio.respond(to: $0, showedToken: $1, body: $2)
            }
        } catch {
            throw CommandFailure.unavailable(
                "Port \(options.port) of 127.0.0.1 cannot be used (\(error)); choose another one with --port.")
        }
        studio.open(port: port, publicURL: options.publicURL)
        let base = options.publicURL?.description ?? "http://127.0.0.1:\(port)/"
        let directory = socket.removingLastComponent()
        let links = StudioLinks(in: directory, base: base, makeToken: studio.makeLink)
        TakeSettings.removeOld(in: directory)
        let door = try HelperProgram.using(socket) {
            try StudioDoor(socket, studio) { try links.make(to: $0, at: MonotonicClock.now()) }
        }
        let windows = StudioWindows { content in
            let recording: String? = if case .recording(let id) = content { id } else { nil }
            guard options.opensWindow,
                let link = try? links.make(to: .person, showing: recording, at: MonotonicClock.now())
            else { return nil }
            return show(link, options) { nil }
        }
        let loop: StudioLoop
        do {
            loop = try StudioLoop(
                studio, inbox, registry: registry, links: links, door: door, launcher: launcher,
                kinecast: ProgramLauncher.kinecast(beside: FilePath(escaped: own)), signals: signals, windows: windows)
        } catch {
            throw CommandFailure.unavailable(
                "No take can be watched (\(error)); raise fs.inotify.max_user_instances (sysctl).")
        }
        func makeLink(forPerson isForPerson: Bool) throws -> StudioLink {
            let scope = studio.scope(showing: options.file, forPerson: isForPerson)
            return try links.make(to: scope, at: MonotonicClock.now())
        }
        let link = try HelperProgram.using(directory) { try makeLink(forPerson: options.opensWindow) }
        windows.browser = show(link, options) { try? makeLink(forPerson: false) }
        loop.run()
        _ = unlink(socket.cString)
    }

    /// Throws if no recording of Kinecast's is at the path. One that runs, or has to be recovered, is shown.
    private static func check(_ file: String) throws(CommandFailure) {
        let path = FilePath(escaped: file).resolved?.escaped ?? file
        var problem: String? = "There is no such file; check its name."
        if FileVersion(of: path) != nil {
            do throws(ClientError) { problem = try RecordingEditor().contents(of: [path]).first?.problem } catch {
                throw .unavailable(error.description)
            }
        }
        guard let problem else { return }
        throw .usage("\(file.printable(limit: 200)) cannot be shown: \(problem)")
    }

    private static var isAtTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Opens a browser, or prints the link where there is no desktop.
    ///
    /// - Parameter makePrinted: makes the link that a terminal shows beside the browser. Any program of the user may read it, so it
    ///   answers no questions of apps.
    private static func show(
        _ link: StudioLink, _ options: Options, _ makePrinted: () -> StudioLink?
    ) -> WindowWatch? {
        guard options.opensWindow else {
            if options.opensBrowser {
                program.say("There is no desktop here; open this link in a browser within a minute:")
            }
            _ = try? FileDescriptor.standardOutput.writeAll("\(link.address)\n".utf8)
            return nil
        }
        let printed = isAtTerminal ? makePrinted() : nil
        if let printed {
            let line = "Open this link once, within a minute, if no window appears: \(printed.address)\n"
            _ = try? FileDescriptor.standardError.writeAll(line.utf8)
        }
        let chosen = try? ConfigurationLayers.current().options(of: .studio, profile: nil).last?.value
        return WindowWatch(
            StudioBrowser.command(for: link, chosen: chosen), [link] + (printed.map { [$0] } ?? []), complain: complain)
    }

    /// Says it at the terminal, or on the desktop to a person who has none.
    private static func complain(_ sentence: String) {
        program.say(sentence)
        guard !isAtTerminal else { return }
        let notifier = DesktopNotifier()
        notifier.show(.problem(sentence))
        notifier.end()
    }
}
