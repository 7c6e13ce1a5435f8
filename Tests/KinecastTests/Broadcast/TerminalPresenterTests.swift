// The picker on a terminal: a pseudoterminal, with the test as its person.
import CoreTesting
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineServices
import Synchronization
import SystemPackage
import Testing

@testable import Kinecast

@Suite struct TerminalPresenterTests {
    /// A terminal and the person before it.
    private final class Person: Sendable {
        let path: String
        private let descriptor: Int32
        /// Keeps the terminal open between two questions.
        private let held: Int32
        private let seen = Mutex("")

        init() throws {
            descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), whose macros Swift cannot read.
            var (unlock, number) = (Int32(0), UInt32(0))
            guard ioctl(descriptor, 0x4004_5431, &unlock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else {
                throw Errno(rawValue: errno)
            }
            path = "/dev/pts/\(number)"
            held = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard held >= 0 else { throw Errno(rawValue: errno) }
        }

        deinit {
            close(held)
            close(descriptor)
        }

        /// Everything shown so far.
        var screen: String { seen.withLock { $0 } }

        /// Waits until these words are shown, after what was shown when the last ones were waited for, and types.
        func sees(_ words: String, types text: String? = nil) {
            let deadline = WaitLimit.deadline()
            while !screen.contains(words), MonotonicClock.now() < deadline {
                guard WakeSignal.poll([descriptor], until: deadline)[0] else { break }
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &chunk, chunk.count)
                guard count > 0 else { break }
                seen.withLock { $0 += String(decoding: chunk[..<count], as: UTF8.self) }
            }
            #expect(screen.contains(words), "\(screen)")
            if let text { type(text) }
        }

        func type(_ text: String) { _ = text.withCString { write(descriptor, $0, strlen($0)) } }

        var echoes: Bool {
            var mode = termios()
            tcgetattr(held, &mode)
            return mode.c_lflag & tcflag_t(ECHO) != 0
        }
    }

    private let person: Person
    private let presenter: TerminalPresenter

    init() throws {
        person = try Person()
        presenter = TerminalPresenter(path: person.path)
    }

    private static let service = {
        var manifest = ServiceManifest(id: "meter", name: "Meter", executable: "meter")
        manifest.setup = [
            .init(key: "token", title: "Token", isRequired: true, isSecret: true),
            .init(key: "quality", title: "Quality", defaultValue: "low"),
            .init(key: "count", title: "Count"),
        ]
        manifest.setup[1].kind = .choice([.init(value: "low"), .init(value: "high", title: "Best")])
        manifest.setup[1].hint = "Needs a fast network."
        manifest.setup[2].kind = .number(.init(minimum: 1, maximum: 5))
        return BroadcastService(Service(manifest: manifest, origin: .user, bundle: nil, executable: "/meter"))
    }()

    private static let request = request([service, service])

    private static func request(_ services: [BroadcastService]) -> BroadcastRequest {
        BroadcastRequest(
            app: AppIdentity(identifier: "org.example.App", name: "My app"), services: services,
            showsMicrophoneButton: true, isMicrophoneEnabled: false)
    }

    private static let form = BroadcastForm(service: service, message: nil, fields: service.fields)

    /// The person acts on a thread of their own, since reading what is shown blocks.
    private func act(_ body: @escaping @Sendable (Person) -> Void) -> DedicatedThread {
        DedicatedThread(name: "person") { [person] in body(person) }
    }

    @Test func `a person chooses a service and the microphone, and is asked again after a mistake`() async throws {
        let acting = act { person in
            person.sees("My app wants to broadcast")
            person.sees("q to cancel: ", types: "7\n")
            person.sees("Type a number from 1 to 2, or q.", types: "2\n")
            person.sees("y or n [n]: ", types: "y\n")
        }
        let choice = try await presenter.chooseService(Self.request)
        #expect(choice.service == "meter" && choice.isMicrophoneEnabled)
        acting.join()
    }

    @Test func `the only service needs one Enter, and asks for what must be given`() async throws {
        let acting = act { person in
            person.sees("My app wants to broadcast through Meter (meter), without the microphone.")
            person.sees("Enter to agree, more to change the settings, or q to cancel: ", types: "yes\n")
            person.sees("Press Enter, or type more or q.", types: "\n")
            person.sees("Token [not shown]: ")
            while person.echoes { sched_yield() }
            person.type("hush\n")
        }
        let choice = try await presenter.chooseService(Self.request([Self.service]))
        #expect(choice.service == "meter" && !choice.isMicrophoneEnabled)
        #expect(try await presenter.fillIn(Self.form) == ["token": "hush", "quality": "", "count": ""])
        acting.join()
        let optional = BroadcastForm(
            service: Self.service, message: nil, fields: Array(Self.service.fields.dropFirst()))
        let again = act { $0.sees("q to cancel: ", types: "\n") }
        _ = try await presenter.chooseService(Self.request([Self.service]))
        again.join()
        #expect(try await presenter.fillIn(optional) == ["quality": "", "count": ""])
    }

    @Test func `more asks about the microphone and for each field`() async throws {
        let acting = act { person in
            person.sees("q to cancel: ", types: "more\n")
            person.sees("y or n [n]: ", types: "y\n")
            person.sees("Quality [low]: ", types: "high\n")
            person.sees("Count [may be empty]: ", types: "3\n")
        }
        #expect(try await presenter.chooseService(Self.request([Self.service])).isMicrophoneEnabled)
        let optional = BroadcastForm(
            service: Self.service, message: nil, fields: Array(Self.service.fields.dropFirst()))
        #expect(try await presenter.fillIn(optional) == ["quality": "high", "count": "3"])
        acting.join()
    }

    @Test func `a person fills in fields: a secret unseen, a default by Enter, a number after a mistake`() async throws
    {
        let acting = act { person in
            person.sees("Token [not shown]: ")
            while person.echoes { sched_yield() }
            person.type("\n")
            person.sees("Token must be given.", types: "hush-hush\n")
            person.sees("Needs a fast network.")
            person.sees("Quality [low]: ", types: "\n")
            person.sees("Count [may be empty]: ", types: "6\n")
            person.sees("Count has to be a number from 1 to 5.", types: "5\n")
        }
        let values = try await presenter.fillIn(Self.form)
        acting.join()
        #expect(values == ["token": "hush-hush", "quality": "", "count": "5"])
        #expect(person.echoes && !person.screen.contains("hush-hush"))
    }

    @Test(arguments: ["q\n", "\u{4}"]) func `a person cancels by q or the end of input`(keys: String) async throws {
        let acting = act { $0.sees("q to cancel: ", types: keys) }
        let error = await #expect(throws: BroadcastError.self) { try await presenter.chooseService(Self.request) }
        #expect(error?.code == .cancelled)
        acting.join()
    }

    @Test func `an interrupt while a secret is typed cancels, and the terminal shows what is typed again`() async throws
    {
        let acting = act { person in
            person.sees("Token [not shown]: ")
            while person.echoes { sched_yield() }
            person.type("\u{3}\n")
        }
        let error = await #expect(throws: BroadcastError.self) { try await presenter.fillIn(Self.form) }
        #expect(error?.code == .cancelled && person.echoes)
        acting.join()
    }

    @Test func `a task that is cancelled asks no longer`() async throws {
        let presenter = presenter
        let question = Task { try await presenter.chooseService(Self.request) }
        let acting = act { $0.sees("q to cancel: ") }
        acting.join()
        question.cancel()
        let error = await #expect(throws: BroadcastError.self) { try await question.value }
        #expect(error?.code == .cancelled)
    }

    @Test func `Enter cancels the countdown, and closing it leaves the next line to others`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await presenter.showCountdown(3) { continuation.yield() }
        await presenter.showCountdown(2) { continuation.yield() }
        let acting = act { $0.sees("begins in 2 s; press Enter to cancel.", types: "\n") }
        for await _ in stream { break }
        acting.join()
        presenter.close()
        presenter.close()
        await presenter.showCountdown(3) { Issue.record("it was closed") }
        presenter.close()
        let choosing = act { person in
            person.sees("q to cancel: ", types: "1\n")
            person.sees("y or n [n]: ", types: "\n")
        }
        #expect(try await presenter.chooseService(Self.request).service == "meter")
        choosing.join()
    }

    @Test func `a login's address is shown, and Enter cancels it`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let address = try #require(URL(string: "https://example.org/device?code=ABCD"))
        await presenter.showLogin(address, for: Self.service) { continuation.yield() }
        let acting = act {
            $0.sees(
                "To log in to Meter at example.org, open https://example.org/device?code=ABCD (press Enter to cancel).",
                types: "\n")
        }
        for await _ in stream { break }
        acting.join()
        await presenter.hideLogin()
    }

    @Test func `the browser opens only after Enter, and then Enter cancels the login`() async throws {
        let (opened, opening) = AsyncStream.makeStream(of: URL.self)
        let (cancelled, cancelling) = AsyncStream.makeStream(of: Void.self)
        let presenter = TerminalPresenter(path: person.path) { opening.yield($0) }
        let address = try #require(URL(string: "https://example.org/\(String(repeating: "a", count: 1900))?end"))
        await presenter.showLogin(address, for: Self.service) { cancelling.yield() }
        let acting = act { person in
            person.sees("To log in to Meter at example.org, open https://example.org/aaa")
            person.sees("?end.")
            person.sees("Enter to open it in the browser, or q to cancel: ", types: "yes\n")
            person.sees("yes\r\nEnter to open it in the browser, or q to cancel: ", types: "\n")
            person.sees("Press Enter to cancel the login.", types: "\n")
        }
        for await url in opened {
            #expect(url == address)
            break
        }
        for await _ in cancelled { break }
        acting.join()
        await presenter.hideLogin()
        // One that is hidden, or declined, opens nothing.
        await presenter.showLogin(address, for: Self.service) { Issue.record("it was hidden") }
        await presenter.hideLogin()
        await presenter.showLogin(address, for: Self.service) { cancelling.yield() }
        act { $0.type("q\n") }.join()
        for await _ in cancelled { break }
        opening.finish()
        for await _ in opened { Issue.record("it was opened again") }
    }

    @Test func `without a terminal there is an error that says what to do`() async throws {
        let error = await #expect(throws: BroadcastError.self) {
            try await TerminalPresenter(path: "/nowhere/tty").chooseService(Self.request)
        }
        #expect(error?.code == .noPresenter && error?.message.contains("give the picker a presenter") == true)
    }

    @Test func `a recording is shared by numbers, until Enter`() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("film".utf8, to: "a.mp4")
        let store = RecordingStore(directory: URL(filePath: folder.file("recordings")))
        let recording = RecordingPreview(.saved(URL(filePath: file)), duration: .seconds(1), size: nil, store: store)
        let activities: [any ShareActivity] = [CopyActivity(to: URL(filePath: folder.path))]
        async let result = recording.present(activities: activities, presenter: presenter)
        person.sees("5  Copy", types: "9\n")
        person.sees("Type a number from 1 to 5", types: "4\n")
        person.sees("Address", types: "here\n")
        person.sees("An upload needs an https address", types: "5\n")
        person.sees("Copy: done", types: "\n")
        #expect(try await result == .finished([.copy]))
        async let cancelled = recording.present(presenter: presenter)
        person.type("q\n")
        #expect(try await cancelled == .cancelled)
    }
}
