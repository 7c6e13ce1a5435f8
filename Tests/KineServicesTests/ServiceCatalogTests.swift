// Finding, installing and removing bundles in directories of the test's own.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineServices

@Suite struct ServiceCatalogTests {
    /// A catalog in a directory of its own: user, one, two, program.
    func with(_ body: (ServiceCatalog, FilePath) throws -> Void) throws {
        try TemporaryDirectory.with { directory in
            let catalog = ServiceCatalog(
                user: directory.appending("user/kinecast/services"),
                system: [directory.appending("one"), directory.appending("two")],
                executableDirectory: directory.appending("program"),
                settings: KeptSettings(in: directory.appending("settings")))
            try body(catalog, directory)
        }
    }

    private static let agree: @Sendable (Service, ServiceCatalog.Question) -> Bool? = { _, _ in true }

    @discardableResult
    func bundle(
        _ path: FilePath, id: String, name: String? = nil, executable: String = "run", mode: mode_t = 0o755
    ) throws -> FilePath {
        try makeDirectories(path)
        try write(#"{"id": "\#(id)", "name": "\#(name ?? id)", "executable": "run"}"#, path.appending("manifest.json"))
        try write("#!/bin/sh\n", path.appending(executable), mode: mode)
        return path
    }

    func makeDirectories(_ path: FilePath) throws {
        if mkdir(path.string, 0o755) == 0 || errno == EEXIST { return }
        try makeDirectories(path.removingLastComponent())
        guard mkdir(path.string, 0o755) == 0 else { throw Errno(rawValue: errno) }
    }

    func write(_ text: String, _ path: FilePath, mode: mode_t = 0o644) throws {
        try Tool.write(text.utf8, to: path.string, permissions: FilePermissions(rawValue: mode))
    }

    func mode(_ path: FilePath) -> mode_t {
        var status = stat()
        return stat(path.string, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func `the built-in services are always there, with their executables beside the engine`() throws {
        try with { catalog, directory in
            let found = catalog.list()
            #expect(found.services.map(\.id) == BuiltInServices.manifests.map(\.id) && found.problems == [])
            let live = try #require(found.services.first)
            #expect(live.id == "live" && live.origin == .builtIn)
            #expect(live.executable == directory.appending("program/kinecast-publish"))
        }
    }

    @Test func `bundles are found in every place, the user's before the system's before the program's`() throws {
        try with { catalog, directory in
            try bundle(directory.appending("program/b.kinext"), id: "b", name: "program")
            try bundle(directory.appending("two/b.kinext"), id: "b", name: "two")
            try bundle(directory.appending("two/a.kinext"), id: "a", name: "two")
            try bundle(directory.appending("one/a.kinext"), id: "a", name: "one")
            try bundle(directory.appending("program/c.kinext"), id: "c", name: "program")
            try bundle(directory.appending("program/not-a-bundle"), id: "d")
            let found = catalog.list()
            #expect(found.problems == [])
            #expect(found.services.filter { $0.origin != .builtIn }.map(\.manifest.name) == ["one", "two", "program"])
            try bundle(directory.appending("user/kinecast/services/x.kinext"), id: "a", name: "mine")
            #expect(catalog.service(id: "a")?.manifest.name == "mine")
            #expect(catalog.service(id: "a")?.origin == .user)
            #expect(catalog.service(id: "d") == nil)
        }
    }

    @Test func `a damaged bundle is named and left out, and the others are found`() throws {
        try with { catalog, directory in
            try bundle(directory.appending("one/good.kinext"), id: "good")
            try bundle(directory.appending("one/reserved.kinext"), id: "live")
            try bundle(directory.appending("one/stiff.kinext"), id: "stiff", mode: 0o644)
            try bundle(directory.appending("one/empty.kinext"), id: "empty", executable: "other")
            let odd = try bundle(directory.appending("one/odd.kinext"), id: "odd")
            try write("{", odd.appending("manifest.json"))
            try makeDirectories(directory.appending("one/bare.kinext"))
            let linked = try bundle(directory.appending("one/linked.kinext"), id: "linked")
            unlink(linked.appending("run").string)
            symlink("/bin/sh", linked.appending("run").string)
            try bundle(directory.appending("one/twin.kinext"), id: "good")
            let found = catalog.list()
            #expect(found.services.filter { $0.origin != .builtIn }.map(\.id) == ["good"])
            let expected = [
                ("bare", "cannot be read"), ("empty", "executable names run, which is not in the bundle"),
                ("linked", "leads out of the bundle"), ("odd", "the file is not JSON"),
                ("reserved", "id is \"live\", which is a built-in service's"),
                ("stiff", "which cannot be executed"), ("twin", "id is \"good\", as that of"),
            ]
            #expect(found.problems.count == expected.count)
            for ((name, reason), problem) in zip(expected, found.problems) {
                #expect(problem.contains("\(name).kinext") && problem.contains(reason) && problem.hasSuffix("."))
            }
        }
    }

    @Test func `an unknown key is named, and the service is there`() throws {
        try with { catalog, directory in
            let path = try bundle(directory.appending("one/a.kinext"), id: "a")
            try write(
                #"{"id": "a", "executable": "run", "restart": 2}"#, path.appending("manifest.json"))
            let found = catalog.list()
            let service = try #require(found.services.last)
            #expect(found.problems == [] && service.unknownKeys == ["restart"])
            #expect(service.ignoredKeys.first?.contains("of the service a, restart is not known") == true)
            #expect(try catalog.install(path, consent: Self.agree).unknownKeys == ["restart"])
        }
    }

    @Test func `installing copies all of a bundle with its modes, and again replaces it`() throws {
        try with { catalog, directory in
            let source = try bundle(directory.appending("source.kinext"), id: "org.a", mode: 0o4755)
            try makeDirectories(source.appending("data/deep"))
            try write("x", source.appending("data/deep/file"), mode: 0o640)
            symlink("data/deep/file", source.appending("link").string)
            let installed = try catalog.install(source, consent: Self.agree)
            let target = directory.appending("user/kinecast/services/org.a.kinext")
            #expect(installed.bundle == target && installed.executable == target.appending("run"))
            #expect(catalog.service(id: "org.a") == installed)
            #expect(mode(target.appending("run")) == 0o755, "set-user-ID is not kept")
            #expect(mode(target.appending("data/deep/file")) == 0o640)
            #expect(access(target.appending("link").string, R_OK) == 0)

            unlink(source.appending("link").string)
            try write(
                #"{"id": "org.a", "version": "2", "executable": "run"}"#, source.appending("manifest.json"))
            try catalog.install(source, consent: Self.agree)
            #expect(catalog.service(id: "org.a")?.manifest.version == "2")
            #expect(access(target.appending("link").string, R_OK) != 0)
            #expect(
                PrivateDirectory.entries(target.removingLastComponent()).sorted()
                    == [".org.a.kinext.installed", "org.a.kinext"])
        }
    }

    @Test func `a bundle that is damaged or links elsewhere is not installed and leaves nothing behind`() throws {
        try with { catalog, directory in
            let linked = try bundle(directory.appending("linked.kinext"), id: "linked")
            symlink("../../etc", linked.appending("etc").string)
            #expect(throws: ServiceCatalog.InstallError.self) { try catalog.install(linked, consent: Self.agree) }
            let absolute = try bundle(directory.appending("absolute.kinext"), id: "absolute")
            symlink(absolute.appending("run").string, absolute.appending("also").string)
            #expect(throws: ServiceCatalog.InstallError.self) { try catalog.install(absolute, consent: Self.agree) }
            let piped = try bundle(directory.appending("piped.kinext"), id: "piped")
            mkfifo(piped.appending("pipe").string, 0o644)
            #expect(throws: ServiceCatalog.InstallError.self) { try catalog.install(piped, consent: Self.agree) }
            let damaged = try bundle(directory.appending("damaged.kinext"), id: "live")
            #expect(throws: ServiceCatalog.InstallError.self) { try catalog.install(damaged, consent: Self.agree) }
            #expect(throws: ServiceCatalog.InstallError.notABundle(directory.string)) {
                try catalog.install(directory, consent: Self.agree)
            }
            #expect(PrivateDirectory.entries(directory.appending("user/kinecast/services")) == [])
        }
    }

    @Test func `what asks for more than usual is installed with the person's consent to its copy, or not at all`()
        throws
    {
        try with { catalog, directory in
            let source = try bundle(directory.appending("source.kinext"), id: "a")
            let services = directory.appending("user/kinecast/services")
            try write(
                #"{"id": "a", "executable": "run", "read": ["/usr/share/zoneinfo"]}"#, source.appending("manifest.json")
            )
            for answer in [false, nil] {
                #expect(throws: ServiceCatalog.InstallError.noConsent("a", wasAsked: answer != nil)) {
                    try catalog.install(source) { copy, question in
                        #expect(
                            question.isForRights && copy.manifest.rights == [.connect, .read("/usr/share/zoneinfo")])
                        #expect(copy.bundle?.removingLastComponent() == services && copy.bundle != source)
                        #expect(access(services.appending("a.kinext").string, F_OK) != 0)
                        return answer
                    }
                }
                #expect(PrivateDirectory.entries(services) == [])
            }
            // What was installed is what was agreed to.
            try catalog.install(source) { _, _ in
                unlink(source.appending("manifest.json").string)
                try? write(#"{"id": "a", "executable": "run", "read": ["/usr"]}"#, source.appending("manifest.json"))
                return true
            }
            #expect(catalog.service(id: "a")?.manifest.readable == ["/usr/share/zoneinfo"])
        }
    }

    @Test func `an update asks again for what the service has not had`() throws {
        try with { catalog, directory in
            let source = try bundle(directory.appending("source.kinext"), id: "a")
            let versions: [(more: String, isNeeded: Bool)] = [
                (#""listen": "p""#, false), (#""network": "none", "environment": ["A"]"#, true),
                (#""network": "none", "environment": ["A"]"#, false), (#""environment": ["A"]"#, true),
                (#""environment": ["A", "B"]"#, true), (#""environment": ["B"]"#, false),
                (#""groups": ["g"], "environment": ["B"]"#, true), (#""read": ["/opt"]"#, true),
                (#""read": []"#, false),
            ]
            for (more, expected) in versions {
                try write(
                    #"{"kinecast": 2, "id": "a", "executable": "run", "setup": [{"key": "p"}], \#(more)}"#,
                    source.appending("manifest.json"))
                var asked: [Bool] = []
                try catalog.install(source) { _, question in
                    asked.append(question.isNeeded)
                    return true
                }
                #expect(asked == [expected], "\(more)")
            }
        }
    }

    @Test func `a bundle that reads too much is not installed, and what a killed installation left goes`() throws {
        try with { catalog, directory in
            let source = try bundle(directory.appending("source.kinext"), id: "a")
            let services = directory.appending("user/kinecast/services")
            // No process has this number: it is above the kernel's largest (PID_MAX_LIMIT).
            try makeDirectories(services.appending(".new-\(1 << 30)-1"))
            try makeDirectories(services.appending(".new-\(getpid())-1"))
            try write(#"{"id": "a", "executable": "run", "read": ["/"]}"#, source.appending("manifest.json"))
            #expect {
                try catalog.install(source, consent: Self.agree)
            } throws: { "\($0)".contains("in its manifest.json, read names /, which no service may read") }
            #expect(PrivateDirectory.entries(services) == [".new-\(getpid())-1"])
        }
    }

    @Test func `removing takes the user's own bundle by its id or its path, and no other`() throws {
        try with { catalog, directory in
            let source = try bundle(directory.appending("source.kinext"), id: "a")
            try catalog.install(source, consent: Self.agree)
            try catalog.remove("a")
            #expect(catalog.service(id: "a") == nil)
            try catalog.install(source, consent: Self.agree)
            try catalog.remove(source.string)
            #expect(catalog.service(id: "a") == nil && access(source.string, F_OK) == 0)
            #expect(throws: ServiceCatalog.InstallError.unknown("a", installed: [])) { try catalog.remove("a") }
            try bundle(directory.appending("one/b.kinext"), id: "b")
            #expect(throws: ServiceCatalog.InstallError.self) { try catalog.remove("b") }
            #expect(throws: ServiceCatalog.InstallError.self) { try catalog.remove("live") }
            #expect(catalog.service(id: "b") != nil)
        }
    }

    @Test func `a group that an app shares by name is for these services alone, until the app says something else`()
        throws
    {
        try TemporaryDirectory.with { directory in
            let store = try GroupStore.standard { $0 == "HOME" ? directory.string : nil }
            let file = directory.appending(".config/kinecast/groups.json")
            func admitted(_ group: String) throws -> [String] {
                try ["one", "two", "three"].filter { try store.admits($0, to: group) }
            }
            try store.keep([:], of: "org.example.Lister")
            let untouched = try admitted("g")
            #expect(untouched == ["one", "two", "three"] && access(file.string, F_OK) != 0)
            try store.keep(["g": ["one"], "closed": []], of: "org.example.App")
            #expect(mode(file) == 0o600)
            try store.keep(["g": ["three"]], of: "org.example.Other")
            let (named, closed, free) = (try admitted("g"), try admitted("closed"), try admitted("free"))
            #expect(named == ["one", "three"] && closed == [] && free.count == 3)
            try store.keep([:], of: "org.example.App")
            let (left, opened) = (try admitted("g"), try admitted("closed"))
            #expect(left == ["three"] && opened.count == 3)
            try write("{}", file, mode: 0o600)
            #expect(throws: GroupStore.Error.damaged(file)) { try store.admits("one", to: "g") }
            try #require(chmod(file.string, 0o622) == 0)
            #expect(throws: GroupStore.Error.foreign(file)) { try store.admits("one", to: "g") }
        }
        #expect(throws: GroupStore.Error.noHome) { try GroupStore.standard { _ in nil } }
    }

    @Test func `the directories are those of the XDG specification`() {
        func places(_ variables: [String: String]) -> [String] {
            ServiceCatalog.standard(environment: { variables[$0] }, executableDirectory: "/opt/k").places
                .map(\.directory.string)
        }
        #expect(
            places(["HOME": "/home/me"]) == [
                "/home/me/.local/share/kinecast/services", "/usr/local/share/kinecast/services",
                "/usr/share/kinecast/services", "/opt/k",
            ])
        #expect(
            places(["HOME": "/home/me", "XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "relative:/sys"])
                == ["/data/kinecast/services", "/sys/kinecast/services", "/opt/k"])
        #expect(places([:]).first == "/usr/local/share/kinecast/services")
    }

    @Test func `what the user sets is checked against the manifest`() throws {
        var manifest = ServiceManifest(id: "a", name: "A", executable: "run")
        manifest.setup = [
            .init(key: "key", title: "Stream key", isRequired: true, isSecret: true),
            .init(key: "region", title: "Region", defaultValue: "eu"),
        ]
        manifest.urlSchemes = ["rtmp"]
        let service = Service(manifest: manifest, origin: .user, bundle: "/b", executable: "/b/run")
        #expect(
            try service.setupInfo(from: ["url": "rtmp://h/a", "key": "s3cret"])
                == ["url": "rtmp://h/a", "key": "s3cret", "region": "eu"])
        #expect(throws: Service.SetupProblem.missing(key: "key", title: "Stream key", service: "a")) {
            try service.setupInfo(from: [:])
        }
        #expect(throws: Service.SetupProblem.unknownKey("rgion", service: "a", keys: ["url", "key", "region"])) {
            try service.setupInfo(from: ["key": "s3cret", "rgion": "us"])
        }
        #expect(throws: Service.SetupProblem.scheme("srt", service: "a", schemes: ["rtmp"])) {
            try service.setupInfo(from: ["key": "s3cret", "url": "srt://h"])
        }
        #expect(service.secrets(in: ["key": "s3cret", "region": "eu"]) == ["s3cret"])
        let rtmp = Service(
            manifest: BuiltInServices.rtmp, origin: .builtIn, bundle: nil,
            executable: "/usr/libexec/kinecast/kinecast-publish")
        let address = "rtmp://me:pass-word@host/app/stream-key?sign=a/b"
        #expect(
            Set(rtmp.secrets(in: ["url": address]))
                == [address, "stream-key?sign=a/b", "stream-key", "pass-word"])
        #expect(rtmp.secrets(in: ["url": "rtmp://host/live/live"]) == ["rtmp://host/live/live"])
        // A short password, as it is written and as the server gets it; a key with a slash behind it.
        #expect(
            Set(rtmp.secrets(in: ["url": "rtmp://me:p%40ss1@host/app/stream-key/"]))
                == ["rtmp://me:p%40ss1@host/app/stream-key/", "p%40ss1", "p@ss1", "stream-key"])
        // An address is always a secret, even if the manifest does not say so.
        #expect(service.secrets(in: ["key": "s3cret", "url": "rtmp://h/a"]) == ["rtmp://h/a", "s3cret"])
    }
}
