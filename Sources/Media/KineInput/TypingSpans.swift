// When something was typed, and never more exactly: in whole half seconds, each span at least a second long, and two that are less
// than a second apart are one.
import KineMedia

struct TypingSpans: Equatable, Sendable {
    /// In half seconds of the take.
    private var span: Range<Int>?
    /// The half second up to which `span` is written.
    private var written = 0
    /// Parts of spans that are not written yet.
    private var parts: [Range<Int>] = []

    static let unit = MediaTime.milliseconds(500)

    mutating func type(at time: MediaTime) {
        let half = Int(max(0, time.nanoseconds) / Self.unit.nanoseconds)
        if let last = span, half - last.upperBound < 2 {
            span = last.lowerBound..<max(last.upperBound, half + 1)
        } else {
            span = half..<half + 2
            written = half
        }
        guard let span, span.upperBound > written else { return }
        if let last = parts.last, last.upperBound == written {
            parts[parts.count - 1] = last.lowerBound..<span.upperBound
        } else {
            parts.append(written..<span.upperBound)
        }
        written = span.upperBound
    }

    /// Removes and returns the parts of spans since the last call, in half seconds. Parts that touch are one span.
    mutating func take() -> [Range<Int>] {
        defer { parts = [] }
        return parts
    }
}
