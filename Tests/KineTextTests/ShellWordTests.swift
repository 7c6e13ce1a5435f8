// Words for a shell: a shell turns each back into the text.
import KinePlatform
import KineText
import SystemPackage
import Testing

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("/tmp/a-1.mp4", "/tmp/a-1.mp4"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$(id)", "'$(id)'"),
        // In a comparison of characters, a quote with an accent behind it is no quote.
        ("'\u{301};id", "''\\''\u{301};id'"),
    ])
    func `anything but plain letters is quoted`(text: String, word: String) {
        #expect(text.shellWord == word)
    }

    @Test(arguments: ["it's", "'\u{301};exit 7", "a\nb", "\\'\\", "é'", "*?[a]~!#{1,2}"])
    func `a shell reads the text again`(text: String) throws {
        var options = ChildProcess.Options()
        let output = try FileDescriptor.pipe()
        options.descriptors = [nil, output.writeEnd, nil]
        let child = try ChildProcess(
            executable: "/bin/sh", arguments: ["-c", "printf %s \(text.shellWord)"], environment: [], options: options)
        try output.writeEnd.close()
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = try output.readEnd.closeAfter {
            try bytes.withUnsafeMutableBytes { try output.readEnd.read(into: $0) }
        }
        #expect(child.wait() == .exited(status: 0))
        #expect(Array(text.utf8) == Array(bytes[..<count]))
    }
}
