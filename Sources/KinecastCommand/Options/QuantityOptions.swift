// Lengths of time and bit rates as they are typed.
import ArgumentParser
import KineMedia

/// `90`, `2.5`, `10s`, `2m`, `1h30m`: hours, minutes and seconds in that order; a bare number means seconds.
struct DurationOption: ExpressibleByArgument, Equatable {
    var time: MediaTime

    init?(argument: String) {
        var rest = argument.lowercased()[...]
        var seconds = 0.0
        var units: [(letter: Character, seconds: Double)] = [("h", 3600), ("m", 60), ("s", 1)]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            guard digits.first != ".", digits.last != ".", let value = Double(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            let letter = rest.popFirst() ?? "s"
            guard let position = units.firstIndex(where: { $0.letter == letter }) else { return nil }
            seconds += value * units[position].seconds
            units.removeFirst(position + 1)
        }
        // A year is more than any file system here holds, and far from where nanoseconds overflow.
        guard seconds > 0, seconds <= 366 * 86400 else { return nil }
        time = .seconds(seconds)
    }
}

/// A bitrate. `Bitrate` parses it, as it does the settings of services.
struct BitrateOption: ExpressibleByArgument, Equatable {
    var bitsPerSecond: Int

    init?(argument: String) {
        guard let bitrate = Bitrate(argument) else { return nil }
        bitsPerSecond = bitrate.bitsPerSecond
    }
}
