// Gives libFuzzer's bytes to the readers of X properties. Whatever they are: no crash, and texts that steer no terminal.
import FuzzDriver
import KineX11

@_cdecl("fuzz_x_properties_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: a property's value.
private func fuzz(_ bytes: [UInt8]) {
    precondition(X11Properties.windows(bytes).count == bytes.count / 4, "windows out of nothing")
    for encoding in X11Text.Encoding.allCases {
        check(X11Text(bytes, encoding).text, from: bytes)
        check(X11Properties.application(bytes, encoding), from: bytes)
    }
    if let model = X11Properties.model(bytes) { check(model, from: bytes) }
    if let process = X11Properties.process(bytes) { precondition(process > 0 && bytes.count == 4, "no process") }
}

private func check(_ text: String, from bytes: [UInt8]) {
    precondition(
        !text.unicodeScalars.contains { $0.value < 32 || (0x7f..<0xa0).contains($0.value) }, "a control character")
    // Each byte that is no UTF-8 becomes one replacement character of three bytes.
    precondition(text.utf8.count <= 3 * bytes.count, "longer than what it was made of")
}
