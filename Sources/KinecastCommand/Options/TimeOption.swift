// A time in a recording as it is typed.
import ArgumentParser
import KineMedia

/// `0`, `12.5`, `1m30s` as in `DurationOption`, and a player's `1:30` or `1:02:03.5`.
struct TimeOption: ExpressibleByArgument, Equatable {
    var time: MediaTime

    init?(argument: String) {
        if let length = DurationOption(argument: argument) {
            time = length.time
        } else if let clock = Self.clock(argument) ?? Self.zero(argument) {
            time = clock
        } else {
            return nil
        }
    }

    private static func zero(_ text: String) -> MediaTime? {
        let digits = text.hasSuffix("s") ? text.dropLast() : text[...]
        return digits.allSatisfy({ $0 == "0" || $0 == "." }) && Double(digits) == 0 ? .zero : nil
    }

    /// Hours, minutes and seconds, or minutes and seconds. Only the first may be 60 or more, only the last has a fraction.
    private static func clock(_ text: String) -> MediaTime? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count else { return nil }
        var seconds = 0.0
        for (place, part) in parts.enumerated() {
            let isLast = place == parts.count - 1
            guard part.first?.isNumber == true, part.last?.isNumber == true,
                part.allSatisfy({ ("0"..."9").contains($0) || isLast && $0 == "." }), let value = Double(part),
                place == 0 || value < 60
            else { return nil }
            seconds = seconds * 60 + value
        }
        return seconds <= 366 * 86400 ? .seconds(seconds) : nil
    }
}
