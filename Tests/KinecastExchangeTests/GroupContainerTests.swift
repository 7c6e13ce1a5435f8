// Files that the members of a group publish.
import CoreTesting
import FoundationEssentials
import Glibc
import KinePlatform
import KinecastExchange
import SystemPackage
import Testing

@Suite(.tags(.real)) struct GroupContainerTests {
    @Test func `a published file appears under its name and leaves its place`() async throws {
        try await TestGroup.with { group in
            let draft = try group.draft("one")
            try group.container.publish(file: draft, as: "take.mp4")
            #expect(try group.container.text("take.mp4") == "one")
            #expect(access(draft.string, F_OK) != 0)
            let second = URL(filePath: try group.draft("two").string)
            try group.container.publish(file: second, as: "take.mp4")
            #expect(try group.container.text("take.mp4") == "two")
            let files = try group.container.files()
            #expect(files.map(\.name) == ["take.mp4"] && files[0].size == 3)
            let published = group.container.url.appending(path: "take.mp4").path
            let modified = try FileManager.default.attributesOfItem(atPath: published)[.modificationDate] as? Date
            #expect(abs(try #require(modified).timeIntervalSince(files[0].modified)) < 0.001)
        }
    }

    @Test func `a file of another file system is copied, and its original removed`() async throws {
        try await TestGroup.with { group in
            let text = String(repeating: "across ", count: 300_000)
            let draft = try group.draft(text, "kinecast-\(getpid())-draft", in: "/dev/shm")
            try group.container.publish(file: draft, as: "long")
            #expect(try group.container.text("long") == text)
            #expect(access(draft.string, F_OK) != 0)
        }
    }

    @Test func `the original can be kept`() async throws {
        try await TestGroup.with { group in
            let draft = try group.draft("kept")
            try group.container.publish(file: draft, as: "copy", keepingOriginal: true)
            try group.draft("changed")
            #expect(try group.container.text("copy") == "kept")
        }
    }

    @Test(arguments: ["", ".hidden", "a/b", "..", "line\nbreak", String(repeating: "x", count: 201)])
    func `a name that could be another file is refused`(name: String) async throws {
        try await TestGroup.with { group in
            #expect(throws: GroupError.invalidName(name)) { try group.container.publish([1], as: name) }
            #expect(throws: GroupError.invalidName(name)) { try group.container.contents(of: name) }
            #expect(throws: GroupError.invalidName(name)) { try group.container.remove(name) }
        }
    }

    @Test func `only ordinary files are published, listed and read`() async throws {
        try await TestGroup.with { group in
            #expect(throws: GroupError.noSuchFile(group.path("none").string)) {
                try group.container.publish(file: group.path("none"), as: "a")
            }
            #expect(throws: GroupError.noSuchFile(group.directory.string)) {
                try group.container.publish(file: group.directory, as: "a")
            }
            let secret = try group.draft("secret")
            try #require(symlink(secret.string, group.container.path.appending("link").string) == 0)
            try #require(mkfifo(group.container.path.appending("pipe").string, 0o600) == 0)
            try #require(mkdir(group.container.path.appending("directory").string, 0o700) == 0)
            #expect(try group.container.files() == [])
            for name in ["link", "pipe", "directory"] {
                #expect(throws: GroupError.self) { try group.container.contents(of: name) }
            }
            #expect(throws: GroupError.tooLarge("long", limit: 3)) {
                try group.container.publish(Array("four".utf8), as: "long")
                _ = try group.container.contents(of: "long", limit: 3)
            }
        }
    }

    @Test func `a file that cannot be written leaves the one before, and no half`() async throws {
        try await TestGroup.with { group in
            try group.container.publish(Array("0 100\n".utf8), as: "file")
            let member = try group.member("publish", "file", "2", "1", fileLimit: 1024)
            let ended = try member.wait()
            #expect(ended.status == 1)
            #expect(ended.output.contains("Writing file failed"), "\(ended.output)")
            #expect(try group.container.text("file") == "0 100\n")
            let left = PrivateDirectory.entries(group.container.path)
            #expect(Set(left) == ["file", ".kinecast"], "\(left)")
        }
    }

    @Test func `changes of other processes are told, and of several of one file the last`() async throws {
        try await TestGroup.with { group in
            let changes = try group.container.changes()
            #expect(try group.member("publish", "file", "0", "3").wait().status == 0)
            var iterator = changes.makeAsyncIterator()
            #expect(await iterator.next() == .published("file"))
            try group.container.publish([1], as: "other")
            try group.container.remove("file")
            var seen: Set<GroupChange> = []
            while seen.count < 2, let change = await iterator.next() {
                if change != .published("file") { seen.insert(change) }
            }
            #expect(seen == [.published("other"), .removed("file")])
        }
    }

    @Test func `a reader that is far behind is told of several changes at once`() async throws {
        try await TestGroup.with { group in
            let changes = try group.container.changes()
            for number in 0..<300 { try group.container.publish([1], as: "file \(number)") }
            var last = try group.container.changes().makeAsyncIterator()
            try group.container.publish([1], as: "last")
            // Then the watcher has seen all of them.
            while let change = await last.next(), change != .published("last") {}
            var iterator = changes.makeAsyncIterator()
            #expect(await iterator.next() == .several)
        }
    }

    @Test func `a directory that was removed and made again is watched again`() async throws {
        try await TestGroup.with { group in
            var iterator = try group.container.changes().makeAsyncIterator()
            let aside = group.path("aside")
            try #require(rename(group.container.path.string, aside.string) == 0)
            _ = try GroupContainer(unchecked: TestGroup.identifier, environment: ["HOME=\(group.directory)"])
            #expect(await iterator.next() == .several)
            try group.container.publish([1], as: "file")
            #expect(await iterator.next() == .published("file"))
        }
    }

    @Test func `a program that no manifest makes a member is told what to do`() {
        #expect {
            _ = try GroupContainer(identifier: "org.example.stranger")
        } throws: { error in
            guard case GroupError.notAMember("org.example.stranger", let manifest) = error else { return false }
            return manifest.hasSuffix("/kinecast-app.json") && "\(error)".contains("add it to \"groups\"")
        }
        #expect(throws: GroupError.invalidIdentifier("../x")) { try GroupContainer(identifier: "../x") }
    }
}
