// Stream keys: wherever they come from, nobody sees them again.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct StreamKeyTests {
    /// What no process, file or message may have in it.
    private static let key = "hush4d1c"

    /// The command lines and environments of all processes that may be read, by their ids.
    private func processes() -> [String: String] {
        let ids = PrivateDirectory.entries("/proc").filter { Int32($0) != nil && $0 != "\(getpid())" }
        return Dictionary(
            uniqueKeysWithValues: ids.map { id in
                (id, ["cmdline", "environ"].map { ProcFiles.read("/proc/\(id)/\($0)") }.joined(separator: " "))
            })
    }

    /// The files under a directory that have the key in their name or in them.
    private func files(under path: String) throws -> String {
        // Status 1 is that there is none.
        try Tool.output("sh", ["-c", "grep -rlas \(Self.key) \"$0\"; find \"$0\" -name '*\(Self.key)*'; true", path])
    }

    @Test func `keys from a name, a file, a variable and the command line are nowhere to be seen`() throws {
        let server = try MediaServer()
        try TestPlace.with { place in
            for directory in [".config", ".config/kinecast"] { try place.makeDirectory(directory) }
            try place.write("mine \(server.address("\(Self.key)-1"))\n", to: ".config/kinecast/destinations")
            try place.write("# one\n\(server.address("\(Self.key)-2"))\n", to: "list")
            let take = try place.start(
                [
                    "broadcast", "--pattern", "320x240", "--record", "a.mp4", "--json", "--to", "@mine", "--to-file",
                    "list", "--to", "env:MY_STREAM", "--to", server.address("\(Self.key)-4"), "--to",
                    "rtmp://127.0.0.1:1/live/\(Self.key)-5",
                ], ["MY_STREAM=\(server.address("\(Self.key)-3"))"])
            try take.event("progress") { progress in
                // Nobody takes the connection to port 1.
                progress.destinations?.filter { !$0.label.contains("127.0.0.1:1/") }
                    .allSatisfy { $0.phase == "live" && ($0.frames ?? 0) > 10 } == true
            }
            let status = try place.run("status"), json = try place.run("status", "--json")
            #expect(status.output.contains("RTMP (") && !(status.output + status.errors).contains(Self.key))
            #expect(json.output.contains("RTMP (") && !(json.output + json.errors).contains(Self.key))

            let seen = processes()
            #expect(seen["\(take.process.pid)"]?.contains("broadcast") == true)
            #expect(seen.filter { $0.value.contains(Self.key) }.keys.sorted() == [])
            // Only where the keys were put do files have them.
            let found = try files(under: place.directory.string).split(separator: "\n").map(String.init).sorted()
            #expect(found == [".config/kinecast/destinations", "list"].map(place.path))
            // No core: the engine's and the extensions' (RLIMIT_CORE).
            let engine = try place.registry().find(nil).pid
            let extensions = ProcFiles.children(of: engine).filter {
                ProcFiles.read("/proc/\($0)/cmdline").contains("kinecast-publish")
            }
            let ours = [engine] + extensions
            #expect(ours.count == 6)
            for pid in ours {
                let line = ProcFiles.read("/proc/\(pid)/limits").split(separator: "\n")
                    .first { $0.hasPrefix("Max core file size") }
                // 0 where the machine has no cores at all.
                let limits = line?.split(separator: " ").dropFirst(4).prefix(2).compactMap { Int($0) }
                #expect(limits?.count == 2 && limits?.allSatisfy { $0 <= 1 } == true, "\(line ?? "")")
            }

            // Connections that end are told of, too.
            server.stop()
            try take.event("destination") { $0.kind == "warning" && $0.label?.contains("127.0.0.1:1/") == false }
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.errors.contains("RTMP (") && !(ended.output + ended.errors).contains(Self.key), "\(ended)")
        }
    }

    @Test func `a variable with a key is not passed on to COMMAND`() throws {
        let server = try MediaServer()
        try TestPlace.with { place in
            try #require(mkfifo(place.path("gate"), 0o600) == 0)
            let take = try place.start(
                [
                    "broadcast", "--pattern", "320x240", "--json", "--to", "env:MY_STREAM", "--", "sh", "-c",
                    "env > seen; read word < gate",
                ], ["MY_STREAM=\(server.address(Self.key))"])
            // A broadcast that ends before it was live has failed.
            try take.event("destination") { $0.phase == "live" }
            try place.write("go\n", to: "gate")
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            let seen = ProcFiles.read(place.path("seen"))
            #expect(seen.contains("HOME=") && !seen.contains("MY_STREAM") && !seen.contains(Self.key))
        }
    }

    @Test func `a file with keys that others can read is refused before anything starts`() throws {
        try TestPlace.with { place in
            try place.write("rtmp://127.0.0.1:1/live/\(Self.key)\n", to: "list")
            try #require(chmod(place.path("list"), 0o644) == 0)
            let ended = try place.run("broadcast", "--pattern", "320x240", "--to-file", "list")
            #expect(ended.status == 77 && ended.errors.contains("chmod 600 "), "\(ended)")
            #expect(!ended.errors.contains(Self.key))
        }
    }
}
