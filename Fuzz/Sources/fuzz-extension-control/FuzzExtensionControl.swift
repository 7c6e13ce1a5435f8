// Gives libFuzzer's bytes to everything that passes between an engine and an extension: the messages of both directions, the
// state page that a hostile extension writes, and the memories that a damaged engine would write.
import FuzzDriver
import KineText
import KineWire

@_cdecl("fuzz_extension_control_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: its first byte says what the rest is, and for messages how it is cut.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let rest = Array(input.dropFirst())
    switch choice & 3 {
    case 0: fuzzMessages(rest, as: ExtensionRequest.self, pieces: Int(choice >> 2) + 1)
    case 1: fuzzMessages(rest, as: ExtensionReport.self, pieces: Int(choice >> 2) + 1)
    case 2: fuzzSender(Script(rest))
    default: fuzzReceiver(Script(rest))
    }
}

/// Whatever comes: no crash, the same messages however they are cut, and each one that can be sent again.
private func fuzzMessages<Message: ControlMessage & Encodable & Equatable>(
    _ bytes: [UInt8], as type: Message.Type, pieces: Int
) {
    // Hardly an input would get past the greeting by itself.
    guard let hello = try? ControlEncoder.frame(ControlHello()) else { preconditionFailure("no hello") }
    let whole: [Message] = decode(hello + bytes, pieces: .max)
    precondition(decode(hello + bytes, pieces: pieces) == whole, "the cut changed what was read")
    for message in whole {
        if case .desktop(let request)? = message as? ExtensionReport { checkShown(request) }
        guard let frame = try? ControlEncoder.frame(message) else { preconditionFailure("it cannot be sent again") }
        precondition(decode(hello + frame, pieces: .max) == [message], "a message changed on its way back")
    }
}

/// Cleans a notification, and checks that a person would see plain words within the limits, and no secret.
private func checkShown(_ request: DesktopRequest) {
    let secret = "s3cret"
    guard case .post(let contents) = request.task,
        let shown = try? contents.cleaned(of: [secret], service: "Fuzz")
    else { return }
    precondition(shown.title.hasPrefix("Fuzz: "), "the service's name is missing")
    for (text, limit) in [
        (shown.title, NotificationContents.titleLimit + 6), (shown.text, NotificationContents.textLimit),
    ] + shown.actions.map({ ($0.title, 40) }) {
        precondition(!text.contains(secret), "a secret is shown")
        precondition(text.isPrintable, "it steers the terminal")
        precondition(text.unicodeScalars.count <= limit + 1, "more than was allowed")
    }
    precondition(shown.delay >= 0 && shown.delay <= NotificationContents.longestDelay, "it waits too long")
    precondition(shown.sound?.contains { $0 == "/" || $0 == "." } != true, "a file is played")
}

private func decode<Message: ControlMessage>(_ bytes: [UInt8], pieces: Int) -> [Message] {
    var decoder = ControlDecoder()
    var messages: [Message] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        decoder.append(rest.prefix(pieces))
        rest = rest.dropFirst(pieces)
        do {
            while let message = try decoder.next(Message.self) { messages.append(message) }
        } catch {
            return messages
        }
        precondition(decoder.pendingBytes <= ControlDecoder.messageLimit + 4, "more is held than a message has")
    }
    return messages
}
