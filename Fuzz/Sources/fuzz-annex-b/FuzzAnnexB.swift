// Gives libFuzzer's bytes to both conversions between start codes and lengths. Whatever they hold: no crash, and what one direction
// makes comes back through the other.
import FuzzDriver
import KineMedia

@_cdecl("fuzz_annex_b_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: the lengths of an SPS and a PPS, these two, and an access unit or a byte stream.
private func fuzz(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let rest = bytes[2...]
    let sequence = Array(rest.prefix(Int(bytes[0])))
    let picture = Array(rest.dropFirst(sequence.count).prefix(Int(bytes[1])))
    let sets = H264ParameterSets(sequence: sequence, picture: picture)
    let unit = Array(rest.dropFirst(sequence.count + picture.count))
    if let stream = try? AnnexB.bytes(from: unit) {
        precondition((try? AnnexB.lengthPrefixed(stream)) == unit, "an access unit came back as another")
        if let whole = try? AnnexB.bytes(from: unit, prepending: sets) {
            precondition(whole.suffix(stream.count).elementsEqual(stream), "the parameter sets changed what follows")
            precondition(whole.count == stream.count + sequence.count + picture.count + 8, "more was put in front")
        }
    }
    if let unit = try? AnnexB.lengthPrefixed(unit) {
        guard let stream = try? AnnexB.bytes(from: unit) else { preconditionFailure("a unit that no stream can hold") }
        precondition((try? AnnexB.lengthPrefixed(stream)) == unit, "a byte stream came back as another")
    }
}
