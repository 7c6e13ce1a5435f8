// Gives libFuzzer's bytes to the reader of chunks. Whatever they are: no crash, no more bytes held than the limits allow, the
// same messages however the bytes are cut, and messages that the writer can send again.
import FuzzDriver
import KineRTMP

private let messageLimit = 4096

@_cdecl("fuzz_rtmp_chunks_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: its first byte says how the rest is cut.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let stream = Array(input.dropFirst())
    let whole = read(stream, pieces: stream.count)
    precondition(whole == read(stream, pieces: Int(choice) + 1), "the cut changed what was read")

    var writer = ChunkWriter()
    var output: [UInt8] = []
    var sent: [RTMPMessage] = []
    for (index, message) in whole.messages.enumerated() where ControlMessage(message) == nil {
        writer.write(message, on: 3 + UInt32(index % 40), to: &output)
        sent.append(message)
    }
    precondition(read(output, pieces: output.count).messages == sent, "a message changed on its way back")
}

private struct Seen: Equatable {
    var messages: [RTMPMessage] = []
    var failed = false
}

private func read(_ bytes: [UInt8], pieces: Int) -> Seen {
    var reader = ChunkReader(messageLimit: messageLimit)
    var seen = Seen()
    do {
        for start in stride(from: 0, to: bytes.count, by: max(1, pieces)) {
            let piece = bytes[start..<min(start + max(1, pieces), bytes.count)]
            reader.append(piece)
            while let message = try reader.next() { seen.messages.append(message) }
            precondition(
                reader.pendingBytes <= 5 * messageLimit + piece.count + 18, "more is held than the limits allow")
        }
    } catch {
        seen.failed = true
        precondition((try? reader.next()) == nil, "a message came after an error")
    }
    return seen
}
