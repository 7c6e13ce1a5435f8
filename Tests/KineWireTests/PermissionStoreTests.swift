// The file with the person's decisions.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineWire

@Suite struct PermissionStoreTests {
    private let folder: TemporaryDirectory
    private let store: PermissionStore
    private static let one = PermissionSubject(identifier: "org.example.One", executable: "/opt/one")
    private static let other = PermissionSubject(identifier: "org.example.One", executable: "/opt/other")

    init() throws {
        folder = try TemporaryDirectory()
        let home = folder.file("config")
        store = try PermissionStore.standard { $0 == "XDG_CONFIG_HOME" ? home : nil }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test(.tags(.slow)) func `a writer that hangs holds nobody up for long, and a file that is full is left as it is`()
        throws
    {
        try store.decide(.granted, [.screen], for: Self.one, name: "One")
        let lock = try FileDescriptor.open(
            FilePath(store.file.string + ".lock"), .readWrite, options: .create, permissions: .ownerReadWrite)
        try #require(flock(lock.rawValue, LOCK_EX) == 0)
        #expect(throws: PermissionStore.Error.busy(store.file)) {
            try store.decide(.declined, [.screen], for: Self.one, name: "One")
        }
        try lock.close()
        #expect(throws: PermissionStore.Error.full(store.file)) {
            try store.decide(
                .granted, [.screen], for: Self.other, name: String(repeating: "a", count: 1 << 20))
        }
        #expect(try store.list().map(\.subject) == [Self.one])
        #expect(try store.permissions(of: Self.one)?.screen == .granted)
    }

    @Test func `decisions are kept for an identifier and an executable, in a file of this user alone`() throws {
        #expect(try store.list() == [])
        try store.decide(.granted, [.screen], for: Self.one, name: "One")
        try store.decide(.declined, [.screen, .microphone], for: Self.other, name: nil)
        try store.decide(.declined, [.microphone], for: Self.one, name: nil)
        let found = try #require(try store.permissions(of: Self.one))
        #expect(found.screen == .granted && found.microphone == .declined && found.name == "One")
        #expect(try store.permissions(of: Self.other)?.screen == .declined)
        #expect(mode(store.file.string) == 0o600)
        #expect(mode(store.file.removingLastComponent().string) == 0o700)
        #expect(try store.revoke { $0.subject == Self.one }.count == 1)
        #expect(try store.list().map(\.subject) == [Self.other])
    }

    @Test func `what a later version writes is read, and a decision that is not known is asked for`() throws {
        let text = """
            {"apps":[{"identifier":"a","executable":"/a","screen":"granted","microphone":"onlyOnce","camera":"granted"}],
            "version":3}
            """
        try store.decide(.granted, [.screen], for: Self.one, name: nil)
        unlink(store.file.string)
        try folder.write(text.utf8, to: "config/kinecast/permissions.json")
        let found = try #require(try store.list().first)
        #expect(found.screen == .granted && found.microphone == nil)
    }

    @Test func `a file that others may change, or that is none of ours, holds no permission`() throws {
        try store.decide(.granted, [.screen], for: Self.one, name: nil)
        chmod(store.file.string, 0o620)
        #expect(throws: PermissionStore.Error.foreign(store.file)) { try store.list() }
        chmod(store.file.string, 0o600)
        truncate(store.file.string, 5)
        #expect(throws: PermissionStore.Error.damaged(store.file)) { try store.list() }
        #expect(throws: PermissionStore.Error.damaged(store.file)) {
            try store.decide(.granted, [.screen], for: Self.one, name: nil)
        }
        #expect(throws: PermissionStore.Error.noHome) { try PermissionStore.standard { _ in nil } }
    }

    @Test func `writers at the same time lose nothing`() throws {
        let store = store
        let threads = try (0..<8).map { number in
            try DedicatedThread(starting: "writer") {
                for turn in 0..<8 {
                    let subject = PermissionSubject(identifier: "a", executable: "/\(number)/\(turn)")
                    try? store.decide(.granted, [.screen], for: subject, name: nil)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(try store.list().count == 64)
    }
}
