// A time in a recording as it is typed.
import ArgumentParser
import KineMedia

/// `0`, or a time as in `DurationOption`.
struct TimeOption: OptionValue, Equatable {
    static let form = "give a time such as 12.5 (seconds), 1m30s or 1:02:03.5"

    var time: MediaTime

    init?(argument: String) {
        if let length = DurationOption(argument: argument) {
            time = length.time
        } else if Self.isZero(argument) || DurationOption.clock(argument) == 0 {
            time = .zero
        } else {
            return nil
        }
    }

    private static func isZero(_ text: String) -> Bool {
        let digits = text.hasSuffix("s") ? text.dropLast() : text[...]
        return digits.allSatisfy { $0 == "0" || $0 == "." } && Double(digits) == 0
    }
}
