// The files with the desktop's restore tokens.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineDesktop

@Suite struct RestoreTokensTests {
    private let folder: TemporaryDirectory
    private let directory: FilePath
    private let tokens: RestoreTokens

    init() throws {
        folder = try TemporaryDirectory()
        let state = folder.file("a/state")
        directory = FilePath(state).appending("kinecast/screen-cast")
        tokens = try RestoreTokens.standard { $0 == "XDG_STATE_HOME" ? state : nil }
    }

    private func mode(_ path: FilePath) -> UInt32? {
        var status = stat()
        return lstat(path.string, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func `a token is kept for an application and a kind of source, in a file of this user alone`() throws {
        #expect(tokens.token(of: "org.example.App", .monitor) == nil)
        try tokens.remove(of: "org.example.App", .monitor)
        #expect(mode(directory) == nil, "nothing is made before there is a token")
        try tokens.keep("one", of: "org.example.App", .monitor)
        try tokens.keep("two", of: "org.example.App", .window)
        try tokens.keep("three", of: "kinecast", .monitor)
        #expect(tokens.token(of: "org.example.App", .monitor) == "one")
        #expect(tokens.token(of: "org.example.App", .window) == "two")
        #expect(tokens.token(of: "kinecast", .monitor) == "three")
        #expect(tokens.token(of: "kinecast", .window) == nil)
        for path in [directory, directory.removingLastComponent(), FilePath(folder.file("a/state"))] {
            #expect(mode(path) == 0o700)
        }
        let names = PrivateDirectory.entries(directory)
        #expect(Set(names) == ["org.example.App.monitor", "org.example.App.window", "kinecast.monitor"])
        for name in names { #expect(mode(directory.appending(name)) == 0o600) }
    }

    @Test func `the file's mode does not follow the umask, nor that of the file before`() throws {
        let before = umask(0)
        defer { umask(before) }
        try tokens.keep("one", of: "kinecast", .monitor)
        let file = directory.appending("kinecast.monitor")
        #expect(mode(file) == 0o600 && mode(directory) == 0o700)
        chmod(file.string, 0o666)
        try tokens.keep("two", of: "kinecast", .monitor)
        #expect(mode(file) == 0o600)
    }

    @Test func `a token is replaced as a whole, and removed`() throws {
        try tokens.keep(String(repeating: "long", count: 100), of: "kinecast", .monitor)
        try tokens.keep("short", of: "kinecast", .monitor)
        #expect(tokens.token(of: "kinecast", .monitor) == "short")
        #expect(PrivateDirectory.entries(directory) == ["kinecast.monitor"])
        try tokens.remove(of: "kinecast", .monitor)
        try tokens.remove(of: "kinecast", .monitor)
        #expect(PrivateDirectory.entries(directory) == [])
    }

    @Test(arguments: ["../../a", "/etc/passwd", "a/b", "", ".", "..", "a%2fb", "ä\u{301}\0\n", "a.window"])
    func `any identifier is the name of a file in the directory, and its own`(application: String) throws {
        try tokens.keep("kept", of: application, .monitor)
        try tokens.keep("other", of: "other", .monitor)
        #expect(tokens.token(of: application, .monitor) == "kept")
        #expect(PrivateDirectory.entries(directory).count == 2)
        #expect(PrivateDirectory.entries(directory.removingLastComponent()) == ["screen-cast"])
    }

    @Test func `an identifier that is too long for a name keeps no token`() {
        let application = String(repeating: "a", count: 300)
        let file = directory.appending("\(application).monitor")
        #expect(throws: RestoreTokens.Error.cannotWrite(file, .fileNameTooLong)) {
            try tokens.keep("kept", of: application, .monitor)
        }
        #expect(tokens.token(of: application, .monitor) == nil)
    }

    @Test(
        arguments: [
            [], [0], Array("a\0b".utf8), [0xff, 0xfe], [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20),
        ] as [[UInt8]])
    func `what no portal can have sent is no token`(bytes: [UInt8]) throws {
        try tokens.keep("one", of: "kinecast", .monitor)
        try Tool.write(bytes, to: directory.appending("kinecast.monitor").string)
        #expect(tokens.token(of: "kinecast", .monitor) == nil)
        try tokens.keep("two", of: "kinecast", .monitor)
        #expect(tokens.token(of: "kinecast", .monitor) == "two")
    }

    @Test func `a directory that others may enter, and a link, are not used`() throws {
        try tokens.keep("one", of: "kinecast", .monitor)
        chmod(directory.string, 0o750)
        #expect(tokens.token(of: "kinecast", .monitor) == nil)
        #expect(throws: RestoreTokens.Error.unusableDirectory(directory, .open(mode: 0o750))) {
            try tokens.keep("two", of: "kinecast", .monitor)
        }
        chmod(directory.string, 0o700)
        #expect(tokens.token(of: "kinecast", .monitor) == "one")
        let file = directory.appending("kinecast.monitor")
        let elsewhere = try folder.write("stolen".utf8, to: "elsewhere")
        unlink(file.string)
        symlink(elsewhere, file.string)
        #expect(tokens.token(of: "kinecast", .monitor) == nil)
        try tokens.keep("two", of: "kinecast", .monitor)
        #expect(tokens.token(of: "kinecast", .monitor) == "two")
        #expect(try Tool.contents(of: elsewhere) == Array("stolen".utf8), "the link was replaced and not followed")
        let link = folder.file("link")
        symlink(directory.string, link)
        #expect(throws: RestoreTokens.Error.unusableDirectory(FilePath(link), .notADirectory)) {
            try RestoreTokens(directory: FilePath(link)).keep("three", of: "kinecast", .monitor)
        }
    }

    @Test func `what a writer that was killed left behind does not hold up the next`() throws {
        try tokens.keep("one", of: "kinecast", .monitor)
        try Tool.write("half".utf8, to: directory.appending("kinecast.monitor.\(getpid()).new").string)
        try tokens.keep("two", of: "kinecast", .monitor)
        #expect(tokens.token(of: "kinecast", .monitor) == "two")
        #expect(PrivateDirectory.entries(directory) == ["kinecast.monitor"])
    }

    @Test func `the place is the user's for state, and there is none without a home`() throws {
        let home = folder.file("home")
        let below = try RestoreTokens.standard { $0 == "HOME" ? home : nil }
        try below.keep("one", of: "kinecast", .monitor)
        let file = FilePath(home).appending(".local/state/kinecast/screen-cast/kinecast.monitor")
        #expect(PrivateDirectory.contents(of: file, limit: 100) == Array("one".utf8))
        #expect(throws: RestoreTokens.Error.noHome) {
            try RestoreTokens.standard { $0 == "XDG_STATE_HOME" ? "relative" : nil }
        }
    }
}
