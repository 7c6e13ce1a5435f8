// From what was typed to the destinations of a take: which services run, what each is told, and what of it is shown.
import Glibc
import KineChoices
import KineMeasure
import KineMedia
import KinePlatform
import KineProgram
import KineServices
import KineText
import SystemPackage
import Testing

@Suite struct DestinationPlanTests {
    static let live: ServiceManifest = {
        var manifest = ServiceManifest(id: "live", name: "Live page", executable: "kinecast-publish")
        manifest.setup = [.init(key: "listen", title: "Address"), .init(key: "title", title: "Title")]
        return manifest
    }()

    static let rtmp: ServiceManifest = {
        var manifest = ServiceManifest(id: "rtmp", name: "RTMP", executable: "kinecast-publish")
        manifest.urlSchemes = ["rtmp", "rtmps"]
        manifest.setup = [
            .init(key: "url", title: "Address", isRequired: true), .init(key: "title", title: "Title"),
        ]
        return manifest
    }()

    static let meter: ServiceManifest = {
        var manifest = ServiceManifest(id: "org.example.meter", name: "Meter", executable: "meter")
        manifest.setup = [
            .init(key: "token", title: "Token", isRequired: true, isSecret: true),
            .init(key: "every", title: "Seconds", defaultValue: "1"),
        ]
        return manifest
    }()

    static let other: ServiceManifest = {
        var manifest = ServiceManifest(id: "org.example.rtmp", name: "Another RTMP", executable: "other")
        manifest.urlSchemes = ["rtmp"]
        return manifest
    }()

    func destinations(
        to addresses: [String] = [], services: [String] = [], set: [String] = []
    ) throws -> [TakeConfiguration.Destination] {
        try DestinationPlan(
            addresses: addresses.map { try #require(DestinationAddress($0)) }, services: services,
            settings: set.map { try #require(Setting($0)) }
        ).destinations(among: [Self.live, Self.rtmp, Self.meter, Self.other])
    }

    func message(
        to addresses: [String] = [], services: [String] = [], set: [String] = [], status: Int32 = ExitStatus.usage
    ) throws -> String {
        let failure = #expect(throws: CommandFailure.self) {
            try destinations(to: addresses, services: services, set: set)
        }
        #expect(failure?.status == status)
        return try #require(failure?.message)
    }

    @Test func `what a setup program returned is for its own service alone, however the ids look`() throws {
        var outer = Self.meter
        outer.id = "org.example"
        outer.setup = [.init(key: "meter.token", title: "Token")]
        var plan = DestinationPlan(services: ["org.example", "org.example.meter"])
        plan.returned = ["org.example": ["meter.token": "theirs"], "org.example.meter": ["token": "@own"]]
        let found = try plan.destinations(among: [outer, Self.meter])
        #expect(found.map(\.setupInfo) == [["meter.token": "theirs"], ["token": "@own", "every": "1"]])
    }

    @Test func `without an address or a service it is the live page`() throws {
        #expect(try destinations() == [.init(service: "live", label: "Live page")])
    }

    @Test func `an address finds the service that takes its scheme, and is shown without its secrets`() throws {
        let address = "RTMPS://me:pass@example.org:443/app/eu/s3cret?sign=1#x"
        #expect(
            try destinations(to: [address])
                == [.init(service: "rtmp", setupInfo: ["url": address], label: "RTMP (example.org:443/app/eu)")])
    }

    @Test(arguments: [
        ("rtmp://host/app", "host"), ("srt://host:9000?streamid=key", "host:9000"),
        ("rtmp://[::1]:1935/a/b", "[::1]:1935/a"),
        ("rtmp://u:p@q@host/a/b", "host/a"), ("rtmp://u:p#q@host/a/b", "host/a"), ("rtmp://host/a/KEY/", "host/a"),
        ("http://host#top", "host"), ("http://host", "host"), ("http://host/", "host"),
        // An accent behind a delimiter does not make it another one.
        ("rtmp://host/\u{301}key", "host"), ("rtmp://u:p@\u{301}host:1935/a/b", "\u{301}host:1935/a"),
    ])
    func `the public part of an address has no user, key or query`(text: String, shown: String) {
        #expect(DestinationAddress(text)?.publicPart == shown)
    }

    @Test(arguments: [
        ("rtmp://host", false), ("rtmp://host/app/key", true), ("rtmp://u:p@host", true),
        ("rtmp://host?k=://host", true),
    ])
    func `an address knows whether it holds a secret`(text: String, holdsSecret: Bool) {
        #expect(DestinationAddress(text)?.holdsSecret == holdsSecret)
    }

    @Test(arguments: [
        "", "host/app/key", "rtmp:host", "://host", "rtmp://", "rtmp:///app", "1rtmp://host", "rtmp://ho st",
        // In a password with a slash or a question mark, user and password would be taken for the host.
        "rtmp://u:pa/ss@host/a/b", "rtmp://u:pa?ss@host/a/b",
        // Characters that would control the terminal that shows the name, or that cannot be seen there.
        "rtmp://host/\u{1b}[2J/key", "rtmp://host/\u{202E}a/key", "rtmp://host/\u{03A2}/key",
    ])
    func `a text without a scheme or a host is not an address`(text: String) {
        #expect(DestinationAddress(text) == nil)
    }

    @Test func `an address goes to the named service that takes it, if one does`() throws {
        let both = try destinations(to: ["rtmp://a/b/c", "rtmp://d/e/f"], services: ["org.example.rtmp"])
        #expect(both.map(\.service) == ["org.example.rtmp", "rtmp"])
        #expect(both.map(\.setupInfo) == [["url": "rtmp://a/b/c"], ["url": "rtmp://d/e/f"]])
    }

    @Test func `a setting reaches every service that knows its key, or the one whose id stands before it`() throws {
        let chosen = try destinations(
            to: ["rtmp://a/b/c"], services: ["live", "org.example.meter"],
            set: ["title=Hello=you", "org.example.meter.token=x", "rtmp.title=Other"])
        #expect(chosen.map(\.service) == ["live", "org.example.meter", "rtmp"])
        #expect(chosen[0].setupInfo == ["title": "Hello=you"])
        #expect(chosen[1].setupInfo == ["token": "x", "every": "1"])
        #expect(chosen[2].setupInfo == ["url": "rtmp://a/b/c", "title": "Other"])
    }

    @Test func `two destinations of one name are numbered`() throws {
        #expect(try destinations(to: ["rtmp://a/b/c", "rtmp://a/b/d"]).map(\.label) == ["RTMP (a/b)", "RTMP (a/b) 2"])
    }

    @Test func `a key that no service knows is named, and its value is not`() throws {
        let message = try message(services: ["live"], set: ["passwort=hush"])
        #expect(message == "No chosen service takes the setting passwort; live takes listen and title.")
        #expect(try !self.message(services: ["live"], set: ["rtmp.title=hush"]).contains("hush"))
    }

    @Test func `a missing setting is refused with how to give it`() throws {
        #expect(
            try message(services: ["org.example.meter"])
                == "The service org.example.meter needs token (Token); give it with --set token=@FILE, "
                + "which keeps it out of the list of processes.")
        #expect(try message(services: ["rtmp"]).hasSuffix("give it with --to rtmp://…."))
        #expect(try message(services: ["org.example.meter"], set: ["token="]).contains("needs token"))
    }

    @Test func `a platform needs its key alone, and another server its address or both of its parts`() throws {
        func plan(_ services: [String], _ set: [String], to: [String] = []) throws -> TakeConfiguration.Destination? {
            try DestinationPlan(
                addresses: to.map { try #require(DestinationAddress($0)) }, services: services,
                settings: set.map { try #require(Setting($0)) }
            ).destinations(among: BuiltInServices.manifests).first
        }
        let youtube = try plan(["youtube"], ["youtube.key=hush"])
        #expect(youtube?.label == "YouTube" && youtube?.setupInfo["key"] == "hush")
        #expect(youtube?.setupInfo["server"]?.hasPrefix("rtmps://") == true)
        let own = try plan(["rtmp"], ["rtmp.server=rtmp://host/live", "key=hush"])
        #expect(own?.label == "RTMP (host/live)" && own?.setupInfo["url"] == nil)
        let address = try plan(["rtmp"], [], to: ["rtmp://host/live/hush"])
        #expect(address?.setupInfo == ["url": "rtmp://host/live/hush"] && address?.label == own?.label)
        for (service, set, words) in [
            ("youtube", [], "needs key (Stream key); give it with --set key=@FILE,"),
            ("rtmp", [], "needs server (Server); give it with --to rtmp://…."),
            ("rtmp", ["server=rtmp://host/live"], "needs key (Stream key); give it with --set key=@FILE,"),
            ("rtmp", ["server=host/live", "key=hush"], "has to begin with rtmp:// or rtmps://"),
            ("twitch", ["key=rtmp://host/app/hush"], "is an address; give only the key"),
        ] as [(String, [String], String)] {
            let failure = #expect(throws: CommandFailure.self) { try plan([service], set) }
            #expect(failure?.message.contains(words) == true && failure?.message.contains("hush") == false)
        }
    }

    @Test func `a service that is not installed is 69`() throws {
        #expect(try message(services: ["tv"], status: ExitStatus.unavailable).contains("live, rtmp"))
        let message = try message(to: ["srt://a?streamid=hush"], status: ExitStatus.unavailable)
        #expect(message.contains("srt:// (those installed take rtmp and rtmps);"))
        #expect(!message.contains("hush"))
    }

    @Test func `a value is read from a file, without the line's end`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("k3y \r\n".utf8, to: "token")
        #expect(try Setting("token=@\(path)")?.value() == "k3y ")
        #expect(try Setting("token=@@home")?.value() == "@home")
        #expect(try Setting(key: "title", value: "@home").value() == "@home")
        let failure = #expect(throws: CommandFailure.self) { try Setting("token=@/nowhere/x")?.value() }
        #expect(failure?.status == ExitStatus.usage)
        #expect(throws: CommandFailure.self) { try Setting("token=@/dev/zero")?.value() }
        try #require(chmod(path, 0o640) == 0)
        let others = #expect(throws: CommandFailure.self) { try Setting("token=@\(path)")?.value() }
        #expect(others?.status == ExitStatus.noPermission && others?.message.contains("chmod 600 \(path)") == true)
    }

    @Test func `a private key that others may read is refused, unless it is the system's`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write([], to: "key.pem")
        func plan() throws {
            let settings = [Setting(key: "live.tls-cert", value: "/c.pem"), Setting(key: "live.tls-key", value: path)]
            _ = try DestinationPlan(settings: settings).destinations(among: BuiltInServices.manifests)
        }
        try plan()
        for mode: mode_t in [0o644, 0o604, 0o660] {
            try #require(chmod(path, mode) == 0)
            let failure = #expect(throws: CommandFailure.self) { try plan() }
            #expect(failure?.message.contains("--tls-key") == true)
        }
        // root:ssl-cert 0640 is how Debian keeps them.
        try #require(chmod(path, 0o640) == 0)
        if geteuid() == 0 { try plan() } else { #expect(throws: CommandFailure.self) { try plan() } }
    }

    @Test func `a setting has a key and a value, which may be empty`() {
        #expect(Setting("a=")?.typedValue == "")
        #expect(Setting("a.b=c=d")?.key == "a.b")
        #expect(Setting("a") == nil && Setting("=a") == nil && Setting("") == nil)
    }
}
