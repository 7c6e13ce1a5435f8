// Writers and readers that are killed at any instant: no half file, and no lost newest one.
import CoreTesting
import Glibc
import KinecastExchange
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real)) struct KilledMembersTests {
    @Test func `a thousand publishes, with writers and readers killed, leave no half file and lose no newest one`()
        async throws
    {
        try await TestGroup.with { group in
            var random = SeededGenerator()
            let total = 1000
            var done = 0
            var kills = 0
            var reader = try group.member("read", "file")
            while done < total {
                let writer = try group.member("publish", "file", "\(done)", "\(total - done)")
                let batch = Int.random(in: 1...60, using: &random)
                let last = min(done + batch, total - 1)
                // The number is said after the file has its name.
                try writer.line("\(last)")
                writer.signal(SIGKILL)
                kills += 1
                let said = try writer.wait().output.split(separator: "\n").compactMap { Int($0) }.max() ?? last
                let text = try group.container.text("file")
                let found = try #require(text.split(separator: " ").first.flatMap { Int($0) })
                #expect(found >= said, "\(found) is there, and \(said) was published")
                #expect(
                    text.utf8.count == "\(found) \(100 + found * 7919 % 20000)\n".utf8.count + 100 + found * 7919
                        % 20000)
                done = found + 1
                if Bool.random(using: &random) {
                    reader.signal(SIGKILL)
                    let ended = try reader.wait()
                    #expect(!ended.output.contains("failed"), "\(ended.output)")
                    reader = try group.member("read", "file")
                }
            }
            reader.signal(SIGKILL)
            let ended = try reader.wait()
            #expect(!ended.output.contains("failed"), "\(ended.output)")
            #expect(kills > 10)
            #expect(try group.container.files().map(\.name) == ["file"])
        }
    }

    @Test func `a thousand changes of defaults, with writers and readers killed, lose no newest value`()
        async throws
    {
        try await TestGroup.with { group in
            var random = SeededGenerator()
            let defaults = try SharedDefaults(group: group.container)
            let total = 1000
            var done = 0
            var watcher = try group.member("watch", "count")
            while done < total {
                // Two at a time, so that one is killed while the other waits or writes.
                let writers = try (0..<2).map { _ in try group.member("count", "count", "\(total)") }
                let batch = Int.random(in: 1...60, using: &random)
                let goal = done + batch
                try wait("\(goal)") { try defaults.value(Int.self, forKey: "count") ?? 0 >= goal }
                var said = 0
                for writer in writers {
                    writer.signal(SIGKILL)
                    let numbers = try writer.wait().output.split(separator: "\n").dropLast().compactMap { Int($0) }
                    #expect(numbers == numbers.sorted())
                    said = max(said, numbers.max() ?? 0)
                }
                let found = try #require(try defaults.value(Int.self, forKey: "count"))
                #expect(found >= said, "\(found) is there, and \(said) was set")
                done = found
                if Bool.random(using: &random) {
                    watcher.signal(SIGKILL)
                    try Self.check(watcher.wait().output)
                    watcher = try group.member("watch", "count")
                }
            }
            watcher.signal(SIGKILL)
            try Self.check(watcher.wait().output)
        }
    }

    /// What a watcher saw only grew.
    private static func check(_ output: String) throws {
        let values = output.split(separator: "\n").dropLast().compactMap { line in
            line.hasPrefix("saw ") ? line.split(separator: " ").dropFirst().first.flatMap { Int($0) } : nil
        }
        #expect(values == values.sorted() && !output.contains("failed"), "\(output.suffix(200))")
    }
}
