// Parses typed lengths of time, bitrates and frame rates.
import KineMedia

/// `90`, `2.5`, `10s`, `2m`, `1h30m`, `500ms`: hours, minutes, seconds and milliseconds in that order; a plain number
/// means seconds. Also a player's form: `1:30` and `00:01:30.5`.
package struct DurationOption: OptionValue, Equatable {
    package static let form = "give a time such as 90 (seconds), 2m, 1h30m, 500ms or 00:01:30"

    package var time: MediaTime

    package init?(argument: String) {
        guard let seconds = Self.units(argument.lowercased()) ?? Self.clock(argument), seconds > 0 else { return nil }
        time = .seconds(seconds)
    }

    /// A year: more than any file system here holds, and far below the overflow of nanoseconds.
    private static let longest = 366.0 * 86400

    private static func units(_ text: String) -> Double? {
        var rest = text[...]
        var seconds = 0.0
        var units: [(name: String, seconds: Double)] = [("h", 3600), ("m", 60), ("s", 1), ("ms", 0.001)]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            guard digits.first != ".", digits.last != ".", let value = Double(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { ("a"..."z").contains($0) }
            rest = rest.dropFirst(name.count)
            guard let position = units.firstIndex(where: { $0.name == (name.isEmpty ? "s" : name) }) else { return nil }
            seconds += value * units[position].seconds
            units.removeFirst(position + 1)
        }
        return seconds <= longest ? seconds : nil
    }

    /// Hours, minutes and seconds, or minutes and seconds. Only the first may exceed 59, only the last have a fraction.
    package static func clock(_ text: String) -> Double? {
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
        return seconds <= longest ? seconds : nil
    }
}

/// `10m`, a length of time as in `DurationOption`, or `2GB`, a size in powers of ten or of two.
package struct SplitOption: OptionValue, Equatable {
    package static let form =
        "give a time of at least 5s, such as 10m, or a size of at least 5MB, such as 500MB or 2GiB"

    package var limit: TakeConfiguration.SplitLimit

    private static let units: [String: Double] = [
        "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824,
    ]

    package init?(argument: String) {
        let text = argument.lowercased()
        let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        if let unit = Self.units[String(text.dropFirst(digits.count))] {
            guard digits.first != ".", digits.last != ".", let value = Double(digits), value <= 1e9 else { return nil }
            limit = .bytes(Int64(value * unit))
        } else {
            guard let duration = DurationOption(argument: argument) else { return nil }
            limit = .duration(duration.time)
        }
        guard (try? TakeConfiguration.check(limit)) != nil else { return nil }
    }
}

/// A bitrate. `Bitrate` parses it, like the settings of services.
package struct BitrateOption: OptionValue, Equatable {
    package static let form = "give bits a second such as 800k or 4M, 1k to 1000M"

    package var bitsPerSecond: Int

    package init?(argument: String) {
        guard let bitrate = Bitrate(argument) else { return nil }
        bitsPerSecond = bitrate.bitsPerSecond
    }
}

/// `30`, or an NTSC rate, which is 1000/1001 of a whole rate: `29.97`, `30000/1001`.
package struct FrameRateOption: OptionValue, Equatable {
    package static let form = "give a whole number from 1 to 240, or 23.976, 29.97, 59.94 or 119.88"

    /// Rounded up for an NTSC rate.
    package var framesPerSecond: Int
    package var isNTSC = false

    package init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) || $0 == "." } }),
            let first = Double(parts[0])
        else { return nil }
        var rate = first
        if parts.count > 1 {
            guard parts.count == 2, let divisor = Double(parts[1]), divisor > 0 else { return nil }
            rate /= divisor
        }
        guard (1...240).contains(rate) else { return nil }
        framesPerSecond = Int(rate)
        guard rate != rate.rounded() else { return }
        // Programs round these rates to two or more decimals: 23.98, 23.976.
        guard let whole = [24, 30, 48, 60, 120, 240].first(where: { abs(rate - Double($0) / 1.001) < 0.005 }) else {
            return nil
        }
        framesPerSecond = whole
        isNTSC = true
    }
}
