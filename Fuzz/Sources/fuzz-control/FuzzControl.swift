// Gives libFuzzer's bytes to the control channel's decoder as what a client says to an engine. Whatever they are: no crash, no more
// bytes held than one message has, the same messages however the bytes are cut, and each message one that can be sent again.
import FuzzDriver
import KineWire

@_cdecl("fuzz_control_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: its first byte says how the rest is cut, and whether a hello goes before it.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    var stream = Array(input.dropFirst())
    // Without this help hardly an input would get past the greeting.
    if choice & 1 == 1, let hello = try? ControlEncoder.frame(ControlHello()) { stream = hello + stream }
    let whole = decode(stream, pieces: stream.count)
    let cut = decode(stream, pieces: Int(choice >> 1) + 1)
    precondition(whole == cut, "the cut changed what was read")
    for message in whole.messages {
        guard let frame = try? ControlEncoder.frame(message), let hello = try? ControlEncoder.frame(ControlHello())
        else {
            preconditionFailure("a message that came cannot be sent")
        }
        precondition(decode(hello + frame, pieces: .max).messages == [message], "a message changed on its way back")
    }
}

private struct Decoded: Equatable {
    var messages: [ClientMessage] = []
    var failed = false
}

private func decode(_ bytes: [UInt8], pieces: Int) -> Decoded {
    var decoder = ControlDecoder()
    var result = Decoded()
    var rest = bytes[...]
    do {
        while !rest.isEmpty {
            decoder.append(rest.prefix(max(1, pieces)))
            rest = rest.dropFirst(max(1, pieces))
            while let message = try decoder.next(ClientMessage.self) { result.messages.append(message) }
            precondition(decoder.pendingBytes <= ControlDecoder.messageLimit + 4, "more is held than a message has")
        }
    } catch {
        result.failed = true
        precondition((try? decoder.next(ClientMessage.self)) == nil, "a message came after an error")
    }
    return result
}
