// What a program of the same user gets of a take that it has not begun: every message of the protocol, over a real screen and a
// private one. This process is that program, or perl, where this process is the take's owner.
import AudioTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineServices
import KineTakes
import ScreenTesting
import SystemPackage
import Testing

@testable import KineWire

@Suite(.tags(.real, .programs)) struct GuestTests {
    private static let size = PixelSize(width: 320, height: 240)
    private static let encoded = SampleRequest(video: .encoded(codec: .h264, keyframeInterval: nil))

    private func requests(_ place: TestPlace) -> [ClientRequest] {
        [
            .start(TakeConfiguration(source: .screen(monitor: nil), output: place.path("guest.mp4"))),
            .commandStarted(process: getpid()), .permissionAnswer(true), .showPermissionQuestions(true),
            .answerPermission(question: 1, isAllowed: true), .status, .follow(progress: true),
            .pause, .resume, .mark(title: "guest"), .notePointer(x: 1, y: 1, isClick: true),
            .annotate(["title": "guest"]), .renewLinks,
            .setMicrophone(on: true), .setMicrophone(on: false), .setAppAudio(on: true), .setAppAudio(on: false),
            .setAppAudioOutput("@DEFAULT_SINK@"), .showAudioLevels(true),
            .setCamera(TakeConfiguration.Camera()), .setCamera(nil),
            .switchSource(.screen(monitor: nil)), .receiveSamples(Self.encoded), .endSamples,
            .receiveSamples(SampleRequest(appAudio: .pcm)),
            .receiveSamples(SampleRequest(video: .camera(size: Self.size), appAudio: .aac)), .endSamples,
            .receiveFrames(FrameRequest(group: "org.example.passing")),
            .addDestination(.init(service: "faults", setupInfo: ["fault": "none"], label: "guest's")),
            .removeDestination(99), .exportClip(ClipRequest(output: place.path("clip.mp4"), duration: nil)),
        ]
    }

    /// The permissions that a request needs of a take of the screen, and of one of a private screen, neither with a
    /// microphone. A new request needs its line here.
    private func needs(_ request: ClientRequest) -> (screen: [PermissionKind], virtual: [PermissionKind]) {
        switch request {
        case .start, .commandStarted, .permissionAnswer, .showPermissionQuestions, .answerPermission, .status, .follow,
            .pause, .resume, .annotate, .endSamples, .removeDestination, .stop, .mark, .setMicrophone(on: false),
            .setAppAudio(on: false), .showAudioLevels, .setCamera(nil), .notePointer:
            ([], [])
        case .renewLinks, .switchSource, .setAppAudio, .setAppAudioOutput, .receiveFrames, .addDestination, .exportClip:
            ([.screen], [])
        case .receiveSamples(let request):
            if case .camera = request.video {
                (request.appAudio == nil ? [.camera] : [.screen, .camera], [.camera])
            } else {
                ([.screen], [])
            }
        case .setMicrophone: ([.microphone], [.microphone])
        case .setCamera: ([.camera], [.camera])
        }
    }

    /// What the engine says to a guest from a request on until it has answered a status after it.
    private func answers(to request: ClientRequest, over guest: ClientConnection) throws -> [EngineMessage] {
        try guest.send(request, id: 1)
        try guest.send(.status, id: 2)
        return try heard(guest) { $0.contains { if case .answer(id: 2, _) = $0 { true } else { false } } }
    }

    private func heard(
        _ guest: ClientConnection, until isEnough: ([EngineMessage]) -> Bool
    ) throws -> [EngineMessage] {
        var all: [EngineMessage] = []
        while !isEnough(all) {
            let new = try guest.receive(until: MonotonicClock.now() + RunningKinecast.timeout)
            try #require(!new.isEmpty, "\(all)")
            all += new
        }
        return all
    }

    private func refusal(in answers: [EngineMessage]) -> String? {
        answers.lazy.compactMap {
            if case .answer(id: 1, .failure(let refusal)) = $0 { refusal.message } else { nil }
        }.first
    }

    private func isWithheld(_ reason: String?) -> Bool { reason?.contains("kinecast permissions grant") == true }

    /// A broadcast of kinecast's whose live page has links, and its record.
    private func broadcast(
        _ place: TestPlace, _ screen: PrivateScreen?
    ) throws -> (kinecast: RunningKinecast, record: TakeRecord) {
        let kinecast = try place.start(
            ["broadcast", "--audio", "none", "--no-indicator", "--clip-buffer", "10s", "--player-link", "--json"]
                + (screen == nil ? ["--virtual", "320x240"] : []), screen.map { ["DISPLAY=\($0.name)"] } ?? [])
        let id = try kinecast.event("started").id
        try kinecast.event("destination") { $0.kind == "link" }
        try kinecast.event("destination") { $0.kind == "playerLink" }
        return (kinecast, try #require(try place.registry().list().running.first { $0.id == id }))
    }

    @Test func `without permission, no message gets anything of a take of the screen`() throws {
        let screen = try PrivateScreen(size: Self.size)
        try TestPlace.with { place in
            let (kinecast, record) = try broadcast(place, screen)
            let guest = try place.registry().connect(to: record)
            var all: [EngineMessage] = []
            for request in requests(place) {
                let answers = try answers(to: request, over: guest)
                let reason = refusal(in: answers)
                #expect(isWithheld(reason) == !needs(request).screen.isEmpty, "\(request): \(answers)")
                for kind in needs(request).screen { #expect(reason?.contains("--\(kind.rawValue)") == true) }
                all += answers
            }
            #expect(
                all.contains(.event(.paused)) && all.contains(.event(.camera(nil))),
                "what any program of the user may do")
            // The new links come when the kinecast beside the engine asks for them, and it is told them.
            let renewed = try place.run("link", "--renew")
            #expect(renewed.status == 0 && renewed.output.hasPrefix("http"))
            #expect(try place.run("clip", "-o", "own.mp4").status == 0)
            // One of another installation is told which one to run.
            let other = try otherKinecast(place)
            for arguments in [["status"], ["link"], ["clip", "-o", "clip.mp4"]] {
                let ended = try RunningKinecast(
                    arguments: arguments, environment: place.environment, directory: place.directory, executable: other
                ).wait()
                let words = "another installation of Kinecast than this take; run \(RunningKinecast.executable)"
                let status = arguments == ["status"] ? 0 : ExitStatus.noPermission
                #expect(ended.errors.contains(words) && ended.status == status, "\(ended)")
            }
            // What it followed: progress with the destinations, whose links are left out as in each message below.
            all += try heard(guest) {
                $0.contains { message in
                    guard case .event(.progress(let progress)) = message else { return false }
                    return progress.destinations.contains { $0.phase == .live }
                }
            }
            try guest.send(.stop(immediately: false))
            all += try heard(guest) { $0.contains { if case .event(.finished) = $0 { true } else { false } } }
            #expect(try kinecast.wait().status == 0)
            for message in all {
                let text = String(decoding: try ControlEncoder.frame(message), as: UTF8.self)
                #expect(!text.contains("http://") && !text.contains("sourceName"), "\(text)")
            }
            #expect(
                all.contains {
                    if case .answer(_, .success(.status(let status))) = $0 {
                        isWithheld(status.withheld)
                    } else {
                        false
                    }
                })
            for file in ["guest.mp4", "clip.mp4"] { #expect(access(place.path(file), F_OK) != 0) }
        }
    }

    private func otherKinecast(_ place: TestPlace) throws -> String {
        try place.makeDirectory("other")
        _ = try Tool.output("cp", [RunningKinecast.executable.string, place.path("other/kinecast")])
        return place.path("other/kinecast")
    }

    @Test(arguments: [false, true]) func `with permission, or of a private screen, a guest gets what it asks for`(
        isPrivate: Bool
    ) throws {
        let screen = isPrivate ? nil : try PrivateScreen(size: Self.size)
        try TestPlace.with { place in
            try place.installFaults()
            let own = try #require(ExecutableSearch.own)
            if !isPrivate { #expect(try place.run("permissions", "grant", own, "--screen").status == 0) }
            let (kinecast, record) = try broadcast(place, screen)
            let guest = try place.registry().connect(to: record)
            var all: [EngineMessage] = []
            for request in requests(place) {
                let isGranted = Set(needs(request).screen).isSubset(of: isPrivate ? [] : [.screen])
                let isNeedless = isPrivate && needs(request).virtual.isEmpty
                let answers = try answers(to: request, over: guest)
                let reason = refusal(in: answers)
                #expect(isWithheld(reason) == !(isGranted || isNeedless), "\(request): \(reason ?? "not refused")")
                all += answers
            }
            // The last request's, which may come after a status that was asked for later.
            let isWritten = { (message: EngineMessage) in
                if case .answer(id: 1, .success(.clip)) = message { true } else { false }
            }
            if !all.contains(where: isWritten) { _ = try heard(guest) { $0.contains(where: isWritten) } }
            try guest.send(.receiveSamples(Self.encoded))
            _ = try heard(guest) { $0.contains { if case .event(.samples(.start)) = $0 { true } else { false } } }
            guard case .success(.status(let status))? = try guest.ask(.status, id: 4) else {
                Issue.record("no status")
                return
            }
            #expect(
                status.withheld == nil && status.sourceName != nil && status.destinations.contains { $0.link != nil })
            #expect(status.destinations.contains { $0.label == "guest's" })
            try guest.send(.stop(immediately: false))
            #expect(try kinecast.wait().status == 0)
        }
    }

    @Test func `the microphone ends, when it is turned on, what programs have that may not have it`() throws {
        let audio = try TestAudioServer()
        try TestPlace.with { place in
            try place.installFaults()
            var manifest = ServiceManifest(id: "passer", name: "Passer", executable: "kinecast-passer")
            manifest.groups = ["org.example.passing"]
            manifest.video = .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil)
            manifest.setup = [.init(key: "group", title: "Group")]
            try place.install(manifest)
            let app = AppIdentity(identifier: "org.example.Owner")
            let own = try #require(ExecutableSearch.own)
            let granted = try place.run("permissions", "grant", own, "--id", app.identifier, "--microphone")
            #expect(granted.status == 0, "\(granted)")
            var configuration = TakeConfiguration(source: .virtual(Self.size), output: nil)
            configuration.app = app
            configuration.audio.app = .none
            configuration.audio.microphone = .named("kinecast.monitor")
            configuration.audio.isMicrophoneOff = true
            configuration.clipBuffer = .seconds(5)
            configuration.expectedSamples = [SampleRequest(micAudio: .pcm)]
            (configuration.supervision.start, configuration.supervision.held) = (120, 120)
            configuration.destinations = [
                .init(service: "passer", setupInfo: ["group": "org.example.passing"], label: "passer")
            ]
            let engine = try EngineUnderTest(
                configuration, in: place, environment: ["PULSE_SERVER=\(audio.address)"])
            try engine.phase(.live)
            let frames = try frameApp(place)
            try frames.line("frame")
            let guest = try GuestProgram(place)
            // The owner's executable is the owner, too.
            let second = try place.registry().connect(to: guest.record)
            for client in [guest.connection, second] {
                try client.send(
                    .receiveSamples(
                        SampleRequest(
                            video: .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil), micAudio: .pcm)))
                _ = try heard(client) { $0.contains { if case .event(.samples(.start)) = $0 { true } else { false } } }
            }
            #expect(refusal(in: try answers(to: Self.destination("guest's"), over: guest.connection)) == nil)
            #expect(refusal(in: try answers(to: Self.destination("owner's"), over: second)) == nil)
            try engine.phase(.live, of: 1)
            try engine.phase(.live, of: 2)
            for client in [guest.connection, second] { try client.send(.showAudioLevels(true)) }
            for (client, levels) in [(guest.connection, AudioLevels()), (second, AudioLevels(microphone: 0))] {
                let shown = try heard(client) {
                    $0.contains { if case .event(.audioLevels) = $0 { true } else { false } }
                }
                #expect(shown.contains(.event(.audioLevels(levels))), "\(shown)")
            }
            // Both ask for it, and one may.
            let asked = try engine.send(.setMicrophone(on: true))
            try guest.connection.send(.setMicrophone(on: true), id: 9)
            #expect(try engine.answer(to: asked) == .success(.done))
            let (sentence, _) = try engine.event(of: 1, "the reason") {
                if case .warning(let sentence) = $0 { sentence } else { nil }
            }
            #expect(sentence.contains("--microphone"), "\(sentence)")
            #expect(try engine.ended(1).0 == .finished)
            let told = try heard(guest.connection) { all in
                all.contains(.event(.samples(.failed(sentence)))) && all.contains(.event(.microphone(on: true)))
                    && all.contains { if case .answer(id: 9, _) = $0 { true } else { false } }
            }
            #expect(
                told.contains {
                    if case .answer(id: 9, .failure(let refusal)) = $0 { refusal.code == .notPermitted } else { false }
                }, "that the microphone is on is no answer to the guest")
            try frames.line("refused")
            // Clips have what was captured before it was turned off again; samples do not.
            #expect(try engine.ask(.setMicrophone(on: false)) == .success(.done))
            let clip = ClientRequest.exportClip(ClipRequest(output: place.path("clip.mp4"), duration: nil))
            #expect(isWithheld(refusal(in: try answers(to: clip, over: guest.connection))))
            let samples = ClientRequest.receiveSamples(SampleRequest(micAudio: .pcm))
            #expect(refusal(in: try answers(to: samples, over: guest.connection)) == nil)
            let status = try engine.status()
            #expect(status.destinations.map(\.isRemoved) == [false, true, false])
            let rest = try answers(to: .status, over: second)
            #expect(!rest.contains { if case .event(.samples(.failed)) = $0 { true } else { false } })
            frames.signal(SIGTERM)
            _ = try frames.wait()
            guest.end()
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `however many connections a program has, kinecast gets in`() throws {
        try TestPlace.with { place in
            let kinecast = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            let id = try #require(try kinecast.event("started").id)
            let path = FilePath(place.path("runtime/kinecast/takes/\(id)/control.sock"))
            // None of them says hello.
            let sockets = try (0..<300).map { _ in try UnixSocket.connect(to: path) }
            defer { for socket in sockets { try? socket.close() } }
            var entries = sockets.map { pollfd(fd: $0.rawValue, events: 0, revents: 0) }
            poll(&entries[299], 1, Int32(RunningKinecast.timeout / 1_000_000))
            #expect(try place.run("pause").status == 0)
            poll(&entries, nfds_t(entries.count), 0)
            #expect(entries.count { $0.revents == 0 } <= 32)
            #expect(try place.run("stop").status == 0)
            #expect(try kinecast.wait().status == 0)
        }
    }

    private static func destination(_ label: String) -> ClientRequest {
        .addDestination(.init(service: "faults", setupInfo: ["fault": "none"], label: label))
    }

    /// An app of the group, which any take's frames are passed on to.
    private func frameApp(_ place: TestPlace) throws -> RunningKinecast {
        try place.makeDirectory("app")
        try place.write(
            #"{"identifier": "org.example.app", "groups": ["org.example.passing"]}"#, to: "app/kinecast-app.json")
        _ = try Tool.output("cp", [RunningKinecast.sibling("kinecast-frame-app"), place.path("app/app")])
        return try RunningKinecast(
            arguments: ["org.example.passing"], environment: place.environment, directory: place.directory,
            executable: place.path("app/app"))
    }
}

/// A connection with the only take of a place that perl has made, which carries what this process says and hears.
private struct GuestProgram {
    let record: TakeRecord
    let connection: ClientConnection
    private let process: ChildProcess

    private static let script = """
        use Socket; use IO::Handle; my $take;
        socket($take, AF_UNIX, SOCK_STREAM, 0) && connect($take, sockaddr_un($ARGV[0])) or die $!;
        open(my $here, "+<&=0") or die $!; $here->blocking(1);
        sub carry { while (sysread($_[0], my $bytes, 65536)) { syswrite($_[1], $bytes) } shutdown($_[1], 1) }
        if (fork) { carry($here, $take) } else { carry($take, $here) }
        """

    init(_ place: TestPlace) throws {
        record = try #require(try place.registry().list().running.first)
        let (near, far) = try ClientConnection.pair()
        defer { try? far.close() }
        connection = near
        var options = ChildProcess.Options()
        options.descriptors = [far, .standardError, .standardError]
        process = try ChildProcess(
            executable: "/usr/bin/perl",
            arguments: ["-e", Self.script, place.path("runtime/kinecast/takes/\(record.id)/control.sock")],
            environment: place.environment, options: options)
    }

    /// Closes the connection, and waits for the program.
    func end() {
        connection.close()
        _ = process.end(signal: SIGTERM, deadline: MonotonicClock.now() + RunningKinecast.timeout)
    }
}
