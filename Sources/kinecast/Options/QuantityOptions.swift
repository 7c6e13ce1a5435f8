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

/// `4000000`, `800k`, `4M`, `4.5M`: bits a second.
struct BitrateOption: ExpressibleByArgument, Equatable {
    var bitsPerSecond: Int

    init?(argument: String) {
        var digits = argument[...]
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
