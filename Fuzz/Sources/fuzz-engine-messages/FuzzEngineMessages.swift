// Gives libFuzzer's bytes to a client as what an engine says. Whatever they are: no crash, the same messages through a socket as from
// the decoder, however the bytes are cut, each message one that can be sent again, and a text for a person from each.
import FuzzDriver
import KineClient
import KineMedia
import KineWire

@_cdecl("fuzz_engine_messages_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: its first byte says how the rest is cut on its way through the socket.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    // Hardly an input would get past the greeting by itself.
    guard let hello = try? ControlEncoder.frame(ControlHello()) else { preconditionFailure("no hello") }
    let stream = hello + input.dropFirst()
    let whole = decode(stream)
    precondition(receive(stream, pieces: Int(choice) + 1) == whole, "the socket changed what was read")
    for message in whole.messages {
        guard let frame = try? ControlEncoder.frame(message) else { preconditionFailure("it cannot be sent again") }
        precondition(decode(hello + frame).messages == [message], "a message changed on its way back")
    }
    var last: TakeProgress?
    for message in whole.messages { tell(message, after: &last) }
}

struct Decoded: Equatable {
    var messages: [EngineMessage] = []
    var failed = false
}

private func decode(_ bytes: [UInt8]) -> Decoded {
    var decoder = ControlDecoder()
    var result = Decoded()
    decoder.append(bytes)
    do {
        while let message = try decoder.next(EngineMessage.self) { result.messages.append(message) }
    } catch {
        result.failed = true
    }
    return result
}

/// What a client prints of it.
private func tell(_ message: EngineMessage, after last: inout TakeProgress?) {
    func show(_ progress: TakeProgress) {
        let line = ProgressLine(progress: progress, last: last, isVerbose: true)
        precondition(line.text(columns: 79).columns <= 79, "a line that wraps")
        last = progress
        _ = TextTable.lines(progress.destinations.map(DestinationColumns.columns))
    }
    switch message {
    case .answer(_, .success(.status(let status))): show(status.progress)
    case .answer: break
    case .event(let event):
        switch event {
        case .started(let take): _ = take.maximumBitrate.map(Quantity.bitrate)
        case .progress(let progress): show(progress)
        case .destination(let event): checkSentence(of: event)
        case .finished(let summary): checkSummary(summary)
        case .failed(let failure): if let summary = failure.summary { checkSummary(summary) }
        case .sourceInterrupted(let interruption?): checkLine(interruption.sentence)
        case .audioUnrecorded(let audio): checkLine(audio.sentence)
        case .paused, .resumed, .microphone, .appAudio, .appAudioOutput, .sourceSwitched, .sourceInterrupted, .camera,
            .cameraShown, .samples, .frames, .screenLocked, .audioLevels,
            .commandNeeded, .permissionQuestion, .permissionAsked, .warning, .dismissed:
            break
        }
    }
}

private func checkLine(_ sentence: String) {
    precondition(
        !sentence.unicodeScalars.contains { $0.properties.generalCategory == .control }, "it steers the terminal")
}

private func checkSentence(of event: DestinationEvent) {
    // An engine has cleaned the links, and the label is the client's own.
    var event = event
    event.label = "label"
    switch event.kind {
    case .link, .playerLink: return
    default: break
    }
    guard let sentence = DestinationSentences.sentence(event, isKnownLive: false)?.text else { return }
    checkLine(sentence)
}

private func checkSummary(_ summary: TakeSummary) {
    precondition(TakeSentences.summary(summary).count == 1 + summary.destinations.count, "a destination is not told of")
}
