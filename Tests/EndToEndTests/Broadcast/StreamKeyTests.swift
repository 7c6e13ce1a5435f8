// Stream keys: wherever they come from, nobody sees them again.
import Glibc
import KineMeasure
import KinePlatform
import KineRelay
import SystemPackage
import Testing

@Suite(.serialized) struct StreamKeyTests {
    /// What no process, file or message may have in it.
    private static let key = "hush4d1c"

    private func write(_ text: String, to path: String) throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: .create, permissions: [.ownerReadWrite])
        try file.closeAfter { _ = try file.writeAll(text.utf8) }
    }

    /// The command lines and environments of all processes that may be read, by their ids.
    private func processes() -> [String: String] {
        var result: [String: String] = [:]
        guard let directory = opendir("/proc") else { return [:] }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard Int32(name) != nil, name != "\(getpid())" else { continue }
            result[name] = ["cmdline", "environ"].map { ProcFiles.read("/proc/\(name)/\($0)") }.joined(separator: " ")
        }
        return result
    }

    /// The files under a directory that have the key in their name or in them.
    private func files(under path: String) throws -> String {
        // Status 1 is that there is none.
        try Tool.output("sh", ["-c", "grep -rlas \(Self.key) \"$0\"; find \"$0\" -name '*\(Self.key)*'; true", path])
    }

    @Test func `Keys from a name, a file, a variable and the command line are nowhere to be seen`() throws {
        let server = try MediaServer()
        try Workplace.with { place in
            let keys = place.directory.appending(".config/kinecast")
            for directory in [keys.removingLastComponent(), keys] {
                try #require(mkdir(directory.string, 0o700) == 0)
            }
            try write("mine \(server.address("\(Self.key)-1"))\n", to: keys.appending("destinations").string)
            try write("# one\n\(server.address("\(Self.key)-2"))\n", to: place.path("list"))
            let take = try RunningKinecast(
                arguments: [
                    "broadcast", "--pattern", "320x240", "--record", "a.mp4", "--json", "--to", "@mine", "--to-file",
                    "list", "--to", "env:MY_STREAM", "--to", server.address("\(Self.key)-4"), "--to",
                    "rtmp://127.0.0.1:1/live/\(Self.key)-5",
                ], environment: place.environment + ["MY_STREAM=\(server.address("\(Self.key)-3"))"],
                directory: place.directory)
            try take.event("progress") { progress in
                // Nobody takes the connection to port 1.
                progress.destinations?.filter { !$0.label.contains("127.0.0.1:1/") }
                    .allSatisfy { $0.phase == "live" && ($0.pictures ?? 0) > 10 } == true
            }
            let status = try place.run("status"), json = try place.run("status", "--json")
            #expect(status.output.contains("rtmp (") && !(status.output + status.errors).contains(Self.key))
            #expect(json.output.contains("rtmp (") && !(json.output + json.errors).contains(Self.key))

            let seen = processes()
            #expect(seen["\(take.process.pid)"]?.contains("broadcast") == true)
            #expect(seen.filter { $0.value.contains(Self.key) }.keys.sorted() == [])
            // Only where the keys were put do files have them.
            let found = try files(under: place.directory.string).split(separator: "\n").map(String.init).sorted()
            #expect(found == [keys.appending("destinations").string, place.path("list")].sorted())
            // No core: the engine's and the extensions' (RLIMIT_CORE).
            let ours = seen.keys.filter {
                let command = ProcFiles.read("/proc/\($0)/cmdline")
                return seen[$0]?.contains(place.directory.string) == true
                    && (command.contains("kinecast-engine") || command.contains("kinecast-rtmp"))
            }
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
            #expect(ended.errors.contains("rtmp (") && !(ended.output + ended.errors).contains(Self.key), "\(ended)")
        }
    }

    @Test func `A variable with a key is not passed on to COMMAND`() throws {
        let server = try MediaServer()
        try Workplace.with { place in
            try #require(mkfifo(place.path("gate"), 0o600) == 0)
            let take = try RunningKinecast(
                arguments: [
                    "broadcast", "--pattern", "320x240", "--json", "--to", "env:MY_STREAM", "--", "sh", "-c",
                    "env > seen; read word < gate",
                ], environment: place.environment + ["MY_STREAM=\(server.address(Self.key))"],
                directory: place.directory)
            // A broadcast that ends before it was live has failed.
            try take.event("destination") { $0.phase == "live" }
            let gate = try FileDescriptor.open(FilePath(place.path("gate")), .writeOnly)
            try gate.closeAfter { _ = try gate.writeAll("go\n".utf8) }
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            let seen = ProcFiles.read(place.path("seen"))
            #expect(seen.contains("HOME=") && !seen.contains("MY_STREAM") && !seen.contains(Self.key))
        }
    }

    @Test func `A file with keys that others can read is refused before anything starts`() throws {
        try Workplace.with { place in
            try write("rtmp://127.0.0.1:1/live/\(Self.key)\n", to: place.path("list"))
            try #require(chmod(place.path("list"), 0o644) == 0)
            let ended = try place.run("broadcast", "--pattern", "320x240", "--to-file", "list")
            #expect(ended.status == 77 && ended.errors.contains("chmod 600 "), "\(ended)")
            #expect(!ended.errors.contains(Self.key))
        }
    }
}
