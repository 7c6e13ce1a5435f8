// OpenH264 cannot be told where chroma samples lie. Without a word, a player takes them to lie at the left edge of their four
// pixels, and the colours of text are half a pixel off.
import KineMedia

enum ChromaLocationSPS {
    /// `unit`, an SPS NAL unit without start code, with chroma samples in the middle of four pixels (ITU-T H.264, E.1.1 and figure
    /// E-1: type 1). Returned unchanged where it is not of 4:2:0, says something of them, has no VUI, or uses syntax that OpenH264 does not write.
    static func insertingMiddle(_ unit: [UInt8]) -> [UInt8] {
        let payload = EmulationPrevention.removed(from: unit)
        var bits = payload.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
        var reader = BitReader(payload)
        // Then vui_parameters_present_flag.
        guard reader.readSequenceParameters() == .yuv420, reader.readFlag() else { return unit }
        _ = reader.readColour()
        let flag = reader.position
        guard let end = bits.lastIndex(of: 1), flag < end, bits[flag] == 0 else { return unit }
        bits.removeSubrange(end...)  // rbsp_trailing_bits (7.3.2.11)
        let type: [UInt8] = [0, 1, 0]  // ue(v) of 1
        bits.replaceSubrange(flag...flag, with: [1] + type + type)
        bits.append(1)
        while bits.count % 8 != 0 { bits.append(0) }
        let changed = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
        return EmulationPrevention.added(to: changed)
    }
}
