// Gives libFuzzer's bytes to the reading of H.264's parameter sets and slice headers. Whatever they hold: no crash, and values that
// H.264 allows.
import FuzzDriver
import KineCodecs
import KineMedia

@_cdecl("fuzz_h264_headers_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: the lengths of an SPS and a PPS, these two, and an access unit.
private func fuzz(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let rest = bytes[2...]
    let sequence = Array(rest.prefix(Int(bytes[0])))
    let picture = Array(rest.dropFirst(sequence.count).prefix(Int(bytes[1])))
    let sets = H264ParameterSets(sequence: sequence, picture: picture)
    _ = sets.colour
    let unit = Array(rest.dropFirst(sequence.count + picture.count))
    guard let header = H264SliceHeader(accessUnit: unit, sets) else { return }
    precondition(0...51 ~= header.quantizer, "the quantizer \(header.quantizer)")
    precondition(header.idrIdentifier.map { $0 >= 0 } ?? true, "a negative identifier")
}
