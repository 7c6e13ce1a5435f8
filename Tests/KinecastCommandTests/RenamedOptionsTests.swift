// The answer to an option's old name.
import Testing

@testable import KinecastCommand

@Suite struct RenamedOptionsTests {
    @Test(arguments: [
        (["record", "--for", "3"], "--for is now --duration; use that."),
        (["record", "--for=3"], "--for is now --duration; use that."),
        (["record", "--screen", "eDP-1"], "--screen is now --monitor; use that."),
        (["broadcast", "--key", "k.pem", "--cert", "c.pem"], "--key is now --tls-key; use that."),
        (["record", "--preset", "replaykit"], "--preset replaykit is now --settings replaykit; use that."),
        (["broadcast", "--preset=replaykit"], "--preset replaykit is now --settings replaykit; use that."),
        (["record", "--mic"], "--mic needs a value now: default or a microphone's name."),
        (["record", "--pattern", "--fps", "3"], "--pattern needs a value now: a size, such as 1280x720."),
        (["broadcast", "--record", "--", "--for"], "--record needs a value now: a file, or . for this directory."),
    ])
    func `an old name is answered with the new one`(arguments: [String], hint: String) throws {
        #expect(RenamedOptions.hint(for: arguments) == hint)
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
    }

    @Test func `what is right, or wrong otherwise, gets no such answer`() {
        #expect(RenamedOptions.hint(for: ["record", "--duration", "x"]) == nil)
        #expect(RenamedOptions.hint(for: ["record", "--mic", "usb", "--", "make", "--test"]) == nil)
        #expect(RenamedOptions.hint(for: ["record", "--preset", "fast"]) == nil)
    }
}
