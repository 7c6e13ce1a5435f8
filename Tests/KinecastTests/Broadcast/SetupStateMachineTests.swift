// The course of a setup program, on a clock of the test's own.
import FoundationEssentials
import KineServices
import KineWire
import Testing

@testable import Kinecast

@Suite struct SetupStateMachineTests {
    typealias Machine = SetupStateMachine

    private static let second: Int64 = 1_000_000_000
    private static let service = BroadcastService(
        Service(
            manifest: ServiceManifest(id: "meter", name: "Meter", executable: "meter"), origin: .user, bundle: nil,
            executable: "/meter"))
    private static let exit = Machine.Input.exited(.exited(status: 0), stderrTail: nil)

    private func machine() -> Machine { Machine(Self.service, limits: SetupLimits(), now: 0) }

    private static func question(_ number: Int, _ fields: [SetupQuestionField] = [secret]) -> Machine.Input {
        .report(.ask(SetupQuestion(question: number, fields: fields)))
    }

    private static let secret = SetupQuestionField(key: "token", title: "Token", type: .secret, required: true)

    private func failure(of actions: [Machine.Action]) -> BroadcastError? {
        guard case .end(.failure(let error))? = actions.last else { return nil }
        return error
    }

    @Test func `a question is asked, its answers are sent, and the result ends it`() {
        var machine = machine()
        guard case .ask(let form, question: 1)? = machine.handle(Self.question(1), at: 1).first else {
            Issue.record("nothing was asked")
            return
        }
        #expect(form.fields.map(\.key) == ["token"] && form.fields.first?.isSecret == true)
        #expect(
            machine.handle(.answered(["token": "hush-hush"], question: 1), at: 2)
                == [.send(.answers(["token": "hush-hush"], question: 1))])
        let result = SetupResult(setupInfo: ["token": "x"], broadcastURL: "https://example.org/a")
        #expect(machine.handle(.report(.finished(result)), at: 3) == [])
        let outcome = SetupOutcome(info: ["token": "x"], broadcastURL: URL(string: "https://example.org/a"))
        #expect(machine.handle(Self.exit, at: 4) == [.end(.success(outcome))])
        #expect(machine.isOver && machine.nextDeadline == nil)
        #expect(machine.handle(.time, at: .max) == [] && machine.handle(Self.exit, at: .max) == [])
    }

    @Test func `a login is shown until the program goes on`() throws {
        var machine = machine()
        let address = try #require(URL(string: "https://example.org/device?code=1"))
        #expect(machine.handle(.report(.login(address.absoluteString)), at: 1) == [.showLogin(address)])
        #expect(machine.nextDeadline == 1 + 15 * 60 * Self.second)
        #expect(machine.handle(.report(.finished(SetupResult(setupInfo: [:]))), at: 2) == [.hideLogin])
    }

    @Test func `a program without network may want no login, since an address carries out what it has read`() {
        var manifest = ServiceManifest(id: "meter", name: "Meter", executable: "meter")
        manifest.network = .none
        let service = Service(manifest: manifest, origin: .user, bundle: nil, executable: "/meter")
        var machine = Machine(BroadcastService(service), limits: SetupLimits(), now: 0)
        #expect(machine.handle(.report(.login("https://example.org/")), at: 1) == [.kill])
        let error = failure(of: machine.handle(.exited(.killed(signal: 9), stderrTail: nil), at: 2))
        #expect(error?.message.contains("wants a login, and its manifest has no network") == true)
    }

    @Test(arguments: [
        "https://example.org%2Flogin.example.com/", "http://example.org/", "https://", "https://user@example.org/",
        "https://a:b@example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)", "https://exa mple.org/", "https://example.org/\u{202e}moc", "example.org",
        "https://example.org/" + String(repeating: "a", count: 2000), "",
        // To a browser the host of the first two ends before the backslash.
        #"https://example.org\@login.example.com/"#, #"https://example.org\.login.example.com/"#,
        "https://example.org\n.login.example.com/", "https://example.org\u{0}.login.example.com/", "https:example.org",
        "https:///example.org/", "https://exämple.org/", "https://example.org%00/",
    ])
    func `an address that is not https, or hides its host, ends the program`(address: String) {
        var machine = machine()
        #expect(machine.handle(.report(.login(address)), at: 1) == [.kill])
        let error = failure(of: machine.handle(.exited(.killed(signal: 9), stderrTail: nil), at: 2))
        #expect(error?.code == .setupFailed && error?.message.contains("an address of the login") == true)
    }

    @Test func `a program that says nothing in time is killed, and one that waits for a person is not`() {
        var machine = machine()
        #expect(machine.handle(.time, at: 59 * Self.second) == [])
        #expect(machine.handle(.time, at: 60 * Self.second) == [.kill])
        #expect(
            failure(of: machine.handle(Self.exit, at: 61 * Self.second))?.message.contains("for 60 seconds") == true)
        var asking = self.machine()
        _ = asking.handle(Self.question(1), at: 0)
        #expect(asking.nextDeadline == 3600 * Self.second)
        #expect(asking.handle(.time, at: 3599 * Self.second) == [])
        #expect(asking.handle(.time, at: 3600 * Self.second) == [.kill])
    }

    @Test func `one that does not exit after its last word is killed, and its result counts`() {
        var machine = machine()
        _ = machine.handle(.report(.finished(SetupResult(setupInfo: [:]))), at: 0)
        #expect(machine.handle(.time, at: 2 * Self.second) == [.kill])
        #expect(machine.handle(.time, at: 9 * Self.second) == [])
        #expect(
            machine.handle(.exited(.killed(signal: 9), stderrTail: nil), at: 9 * Self.second)
                == [.end(.success(SetupOutcome(info: [:])))])
    }

    @Test func `when the person cancels, the program is told, and killed if it stays`() {
        var machine = machine()
        _ = machine.handle(Self.question(1), at: 0)
        #expect(machine.handle(.cancelled(.cancelled), at: 1) == [.send(.cancel)])
        #expect(machine.handle(.report(.finished(SetupResult(setupInfo: [:]))), at: 2) == [], "it is too late")
        #expect(machine.handle(.time, at: 1 + 2 * Self.second) == [.kill])
        #expect(failure(of: machine.handle(Self.exit, at: 3 * Self.second)) == .cancelled)
    }

    @Test func `what the person typed unseen is in no sentence`() {
        var machine = machine()
        _ = machine.handle(Self.question(1), at: 0)
        _ = machine.handle(.answered(["token": "hush-hush"], question: 1), at: 1)
        _ = machine.handle(.report(.failed("The token hush-hush is not known.")), at: 2)
        let error = failure(of: machine.handle(Self.exit, at: 3))
        #expect(error?.message.contains("The token … is not known") == true)
        #expect(error?.message.contains("install") == false)
        #expect(error?.message.contains("hush") == false)
    }

    @Test(
        arguments: [
            (["token": ""], BroadcastError.Code.missingField), ([:], .missingField),
            (["token": "abc", "other": "x"], .unknownField),
            (["token": String(repeating: "a", count: 10_001)], .invalidField),
        ] as [([String: String], BroadcastError.Code)])
    func `an answer that does not fit ends the setup with the field's name`(
        answers: [String: String], code: BroadcastError.Code
    ) {
        var machine = machine()
        _ = machine.handle(Self.question(1), at: 0)
        #expect(machine.handle(.answered(answers, question: 1), at: 1) == [.send(.cancel)])
        #expect(failure(of: machine.handle(Self.exit, at: 2))?.code == code)
    }

    @Test func `a program that breaks the rules is killed, and the rule is named`() {
        let nonsense: [(inputs: [Machine.Input], words: String)] = [
            ([Self.question(2)], "numbered a question wrongly"),
            ([Self.question(1), Self.question(2)], "spoke before its question was answered"),
            ([Self.question(1, [])], "asked for 0 fields"),
            ([Self.question(1, (0..<65).map { SetupQuestionField(key: "k\($0)") })], "asked for 65 fields"),
            ([Self.question(1, [Self.secret, Self.secret])], "a field twice"),
            ([Self.question(1, [SetupQuestionField(key: "a/b")])], "a field that cannot be"),
            ([Self.question(1, [SetupQuestionField(key: "a", type: .choice)])], "a field that cannot be"),
            ([Self.question(1, [SetupQuestionField(key: "a", title: "\u{1b}]0;x\u{7}")])], "a field that cannot be"),
            ([Self.question(1, [SetupQuestionField(key: "a", title: "\u{202e}yeK")])], "a field that cannot be"),
            ([Self.question(1, [SetupQuestionField(key: "\u{efc2}\u{ef9b}")])], "a field that cannot be"),
            ([.report(.finished(SetupResult(setupInfo: [:], broadcastURL: "file:///a")))], "of the broadcast"),
            (
                [
                    .report(
                        .finished(
                            SetupResult(
                                setupInfo: Dictionary(uniqueKeysWithValues: (0..<65).map { ("k\($0)", "") }))))
                ], "more than 64 settings"
            ),
            (
                [.report(.finished(SetupResult(setupInfo: ["a": String(repeating: "x", count: 10_001)])))],
                "more than 10000 characters"
            ),
            ([.protocolViolation("sent an invalid message on its control channel")], "sent an invalid message"),
            ((0..<9).map { .report(.login("https://example.org/\($0)")) }, "more than 8 logins"),
        ]
        for (inputs, words) in nonsense {
            var machine = machine()
            let actions = inputs.flatMap { machine.handle($0, at: 1) }
            #expect(actions.last == .kill, "\(words)")
            let error = failure(of: machine.handle(.exited(.killed(signal: 9), stderrTail: nil), at: 2))
            #expect(error?.code == .setupFailed && error?.message.contains(words) == true, "\(words)")
        }
    }

    /// A service with a setting of each kind that the engine opens.
    private static let opening = {
        var manifest = ServiceManifest(id: "meter", name: "Meter", executable: "meter")
        manifest.setup = [
            .init(key: "cert", title: "Certificate", isFile: true), .init(key: "place", title: "Address"),
            .init(key: "note", title: "Note"),
        ]
        manifest.listen = "place"
        return BroadcastService(Service(manifest: manifest, origin: .user, bundle: nil, executable: "/meter"))
    }()

    @Test(arguments: [
        ["cert": "/home/u/.ssh/id_rsa"], ["place": "0.0.0.0:80"], ["cert": "/given "], ["place": "/given"],
    ])
    func `a file or an address that the person did not give for exactly that setting ends the program`(
        info: [String: String]
    ) {
        var machine = Machine(Self.opening, limits: SetupLimits(), now: 0)
        let fields = ["note", "cert", "place"].map { SetupQuestionField(key: $0) }
        _ = machine.handle(Self.question(1, fields), at: 0)
        let answers = ["note": "/home/u/.ssh/id_rsa", "cert": "/given"]
        _ = machine.handle(.answered(answers, question: 1), at: 1)
        #expect(machine.handle(.report(.finished(SetupResult(setupInfo: info))), at: 2) == [.kill])
        let error = failure(of: machine.handle(.exited(.killed(signal: 9), stderrTail: nil), at: 3))
        #expect(error?.message.contains("a value of its own for \(info.keys.first ?? "")") == true)
    }

    @Test func `a question for a file or an address shows the manifest's title, and an empty line gives nothing`() {
        var machine = Machine(Self.opening, limits: SetupLimits(), now: 0)
        let fields = ["cert", "place"].map { key in
            var field = SetupQuestionField(key: key, title: "Press Enter", type: .choice)
            field.choices = [.init(value: "/home/u/.ssh/id_rsa", title: "English")]
            field.default = "/home/u/.ssh/id_rsa"
            return field
        }
        guard case .ask(let form, question: 1)? = machine.handle(Self.question(1, fields), at: 0).first else {
            Issue.record("nothing was asked")
            return
        }
        #expect(form.fields == Array(Self.opening.fields.prefix(2)))
        #expect(machine.handle(.answered([:], question: 1), at: 1) == [.send(.answers([:], question: 1))])
        // The last answer counts.
        _ = machine.handle(Self.question(2, fields), at: 2)
        _ = machine.handle(.answered(["cert": "/first"], question: 2), at: 3)
        _ = machine.handle(Self.question(3, fields), at: 4)
        _ = machine.handle(.answered(["cert": "/given", "place": "0.0.0.0:80"], question: 3), at: 5)
        let info = ["cert": "/given", "place": "0.0.0.0:80", "note": "/first"]
        _ = machine.handle(.report(.finished(SetupResult(setupInfo: info))), at: 6)
        #expect(machine.handle(Self.exit, at: 7) == [.end(.success(SetupOutcome(info: info)))])
    }

    @Test func `a setting that forms show closed is open where the program needs it`() {
        var manifest = ServiceManifest(id: "meter", name: "Meter", executable: "meter")
        manifest.setup = [.init(key: "cert", title: "Certificate", isFile: true, isAdvanced: true)]
        let service = BroadcastService(
            Service(manifest: manifest, origin: .user, bundle: nil, executable: "/meter"))
        var machine = Machine(service, limits: SetupLimits(), now: 0)
        for (number, isRequired) in [(1, false), (2, true)] {
            var field = SetupQuestionField(key: "cert", required: isRequired)
            field.advanced = !isRequired
            guard case .ask(let form, _)? = machine.handle(Self.question(number, [field]), at: 0).first else {
                Issue.record("nothing was asked")
                return
            }
            #expect(form.fields.map(\.isAdvanced) == [!isRequired])
            _ = machine.handle(.answered([:], question: number), at: 0)
        }
    }

    @Test func `one that closes its channel is killed a moment later, unless its end says more`() {
        var machine = machine()
        #expect(machine.handle(.channelClosed, at: 5) == [])
        #expect(machine.nextDeadline == 5 + Self.second)
        var crashed = machine
        #expect(machine.handle(.time, at: 5 + Self.second) == [.kill])
        let error = failure(of: machine.handle(.exited(.killed(signal: 9), stderrTail: nil), at: 6 * Self.second))
        #expect(error?.message.contains("closed its control channel") == true)
        let crash = failure(of: crashed.handle(.exited(.killed(signal: 5), stderrTail: "Fatal error: x"), at: 6))
        #expect(crash?.message.contains("has crashed") == true)
    }

    @Test func `it may not ask for ever`() {
        var machine = machine()
        var killed = 0
        for number in 1...33 {
            if machine.handle(Self.question(number), at: 1) == [.kill] { killed = number }
            _ = machine.handle(.answered(["token": "abcdef"], question: number), at: 1)
        }
        #expect(killed == 33)
    }

    @Test func `a crash is told with its last words, whenever it comes`() {
        for inputs in [[], [Self.question(1)], [Machine.Input.report(.login("https://example.org/"))]] {
            var machine = machine()
            for input in inputs { _ = machine.handle(input, at: 0) }
            let error = failure(of: machine.handle(.exited(.killed(signal: 11), stderrTail: "Fatal error: x"), at: 1))
            #expect(error?.code == .setupFailed && error?.message.contains("Fatal error: x") == true)
        }
    }

    @Test func `a program that cannot be loaded is told with its library and what to do`() {
        var manifest = ServiceManifest(id: "meter", name: "Meter", executable: "meter")
        manifest.setupProgram = "setup"
        let service = Service(manifest: manifest, origin: .user, bundle: "/b", executable: "/b/meter")
        var machine = Machine(BroadcastService(service), limits: SetupLimits(), now: 0)
        let complaint =
            "/b/setup: error while loading shared libraries: libFoundation.so: cannot open shared object file: "
            + "Permission denied"
        let error = failure(of: machine.handle(.exited(.exited(status: 127), stderrTail: complaint), at: 1))
        #expect(error?.code == .setupFailed)
        #expect(
            error?.message
                == "The setup of Meter is linked to libFoundation.so, which a confined extension cannot read; "
                + "build it with --static-swift-stdlib.")
    }
}
