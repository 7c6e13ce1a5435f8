// The way of docs/many-viewers.md, with the configurations that stand beside it: an origin, two edges that pull from it, and HLS
// through their caches.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct ManyViewersTests {
    /// nginx with one of the documentation's configurations, at other addresses and in another folder. Ended with this object.
    private final class Server {
        private let process: ChildProcess
        private let folder: TemporaryDirectory

        init(_ name: String, _ changes: (TemporaryDirectory) -> [(String, String)]) throws {
            folder = try TemporaryDirectory()
            var configuration = try Server.read(RunningKinecast.checkout.appending("docs/many-viewers/\(name)"))
            for (documented, own) in changes(folder) {
                try #require(configuration.contains(documented), "\(name) does not say \(documented) any more")
                configuration = configuration.split(separator: documented, omittingEmptySubsequences: false)
                    .joined(separator: own)
            }
            // nginx's own directories for temporary files are root's.
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { [folder] name in
                "\(name)_temp_path \(folder.file(name));"
            }
            configuration = configuration.replacing("\nrtmp {\n", with: "\nrtmp {\naccess_log off;\n")
                .replacing("\nhttp {\n", with: "\nhttp {\n\(temporary.joined(separator: "\n"))\n")
            try folder.write(configuration.utf8, to: "nginx.conf")
            try #require(mkdir(folder.file("hls"), 0o700) == 0)
            var options = ChildProcess.Options()
            options.descriptors = [nil, .standardError, .standardError]
            options.parentDeathSignal = SIGKILL
            process = try ChildProcess(
                executable: try Tool.path(of: "nginx"),
                arguments: [
                    "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log"), "-g",
                    "daemon off; master_process off; pid \(folder.file("nginx.pid"));",
                ], environment: ProcessEnvironment.current, options: options)
        }

        deinit { _ = process.end(signal: SIGTERM, deadline: MonotonicClock.now() + 5_000_000_000) }

        var log: String { ProcFiles.read(folder.file("error.log")) }

        /// The paths that the cache has asked for, one for each question.
        var questions: [String] {
            ProcFiles.read(folder.file("origin.log")).split(separator: "\n").compactMap { line in
                line.split(separator: "\"").dropFirst().first?.split(separator: " ").dropFirst().first.map(String.init)
            }
        }

        private static func read(_ path: FilePath) throws -> String {
            let file = try FileDescriptor.open(path, .readOnly)
            return try file.closeAfter { String(decoding: try Tool.readAll(file), as: UTF8.self) }
        }
    }

    /// An edge, and where its viewers ask.
    private struct Edge {
        let server: Server
        let port: Int

        init(origin: Int) throws {
            let (port, files, relay) = (try Loopback.freePort(), try Loopback.freePort(), try Loopback.freePort())
            self.port = port
            server = try Server("nginx-edge.conf") { folder in
                [
                    ("origin.example:1935", "127.0.0.1:\(origin)"), ("127.0.0.1:1936", "127.0.0.1:\(relay)"),
                    ("127.0.0.1:8081", "127.0.0.1:\(files)"), ("listen 8080", "listen 127.0.0.1:\(port)"),
                    ("/var/lib/kinecast-edge", folder.path),
                ]
            }
        }

        var playlist: String { "http://127.0.0.1:\(port)/hls/show.m3u8" }

        /// The names of the fragments that the playlist lists now; none while there is no playlist.
        func fragments() throws -> [String] {
            let answer = try HTTPExchange.ask(
                port: UInt16(port), method: "GET", path: "/hls/show.m3u8", content: [],
                deadline: MonotonicClock.now() + RunningKinecast.timeout)
            guard answer.status == 200 else { return [] }
            return String(decoding: answer.content, as: UTF8.self).split(separator: "\n").map(String.init)
                .filter { $0.hasSuffix(".ts") }
        }

        /// Waits until so many are listed.
        func fragments(atLeast count: Int) throws -> [String] {
            var names: [String] = []
            // Until the server listens, nobody answers.
            try wait("\(count) fragments") {
                names = (try? fragments()) ?? []
                return names.count >= count
            }
            return names
        }
    }

    /// What ffprobe finds in a playlist: the codecs.
    private func codecs(_ address: String) throws -> [String] {
        try Tool.output(
            "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", "-of", "default=nw=1:nk=1", address]
        ).split(separator: "\n").map(String.init).sorted()
    }

    @Test(.timeLimit(.minutes(10)))
    func `a broadcast reaches the viewers of two edges as HLS, and each fragment is asked for once`() throws {
        let port = try Loopback.freePort()
        let origin = try Server("nginx-origin.conf") { _ in [("listen 1935", "listen 127.0.0.1:\(port)")] }
        let edges = [try Edge(origin: port), try Edge(origin: port)]
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--pattern", "320x180", "--json", "--to", "rtmp://127.0.0.1:\(port)/live/show")
            try take.event("destination") { $0.phase == "live" }
            for edge in edges {
                let names = try edge.fragments(atLeast: 3)
                #expect(try Set(codecs(edge.playlist)) == ["aac", "h264"], "\(origin.log)")
                // The oldest that is listed: nobody has asked for it but ffprobe, which takes the newest.
                let path = "/hls/\(names[0])"
                var bodies: Set<[UInt8]> = []
                for _ in 0..<20 {
                    let answer = try HTTPExchange.ask(
                        port: UInt16(edge.port), method: "GET", path: path, content: [],
                        deadline: MonotonicClock.now() + RunningKinecast.timeout)
                    #expect(answer.status == 200)
                    bodies.insert(answer.content)
                }
                #expect(bodies.count == 1 && bodies.first?.isEmpty == false)
                #expect(edge.server.questions.count { $0 == path } == 1, "\(edge.server.questions)")
            }
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
        withExtendedLifetime(origin) {}
    }
}
