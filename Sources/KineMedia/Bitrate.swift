// Bits a second as a person writes them: one grammar for the command line's options and for the settings behind them.

/// A bitrate that was typed: `4000000`, `800k`, `4M`, `4.5M`, `4Mbps`.
public struct Bitrate: Sendable, Equatable {
    public let bitsPerSecond: Int

    /// Nil where the text is no bitrate, or one outside 1,000 to 1,000,000,000 bits a second.
    public init?(_ text: String) {
        var digits = text[...]
        // A capital B would be bytes.
        for unit in ["bps", "bit/s", "b/s"] where digits.hasSuffix(unit) { digits.removeLast(unit.count) }
        var scale = 1.0
        switch digits.last {
        case "k", "K": scale = 1e3
        case "m", "M": scale = 1e6
        default: break
        }
        if scale > 1 { digits.removeLast() }
        guard digits.allSatisfy({ ("0"..."9").contains($0) || $0 == "." }), let value = Double(digits) else {
            return nil
        }
        let rate = (value * scale).rounded()
        guard (1000...1e9).contains(rate) else { return nil }
        bitsPerSecond = Int(rate)
    }
}
