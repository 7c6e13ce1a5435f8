// Gives libFuzzer's bytes to the AMF 0 decoder. Whatever they are: no crash, and what was read can be written
// and then reads back as the same.
import FuzzDriver
import KineRTMP

@_cdecl("fuzz_amf_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private func fuzz(_ input: [UInt8]) {
    guard let values = try? AMF0Decoder.decode(input) else { return }
    let bytes = AMF0Encoder.encode(values)
    guard let again = try? AMF0Decoder.decode(bytes) else { preconditionFailure("what was written cannot be read") }
    // As bytes: a number may be none, and then it is not even equal to itself.
    precondition(AMF0Encoder.encode(again) == bytes, "a value changed on its way back")
}
