// Numbers in a form for people.

public enum Quantity {
    /// `0:07`, `12:34`, `1:02:03`: a running clock in whole seconds.
    public static func clock(_ time: MediaTime) -> String {
        let seconds = max(0, Int(time.nanoseconds / 1_000_000_000))
        let tail = "\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
        if seconds >= 3600 { return "\(seconds / 3600):\(tail)" }
        return "\(seconds / 60):\(twoDigits(seconds % 60))"
    }

    /// `7.4 s`, `12 min 34 s`, `1 h 2 min 3 s`: a length in a sentence, to the nearest tenth or second, as `lengthText` of the
    /// studio's page (words/format.js).
    public static func length(_ time: MediaTime) -> String {
        let tenths = max(0, Int((time.seconds * 10).rounded()))
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = Int(time.seconds.rounded())
        let minutes = "\(seconds / 60 % 60) min \(seconds % 60) s"
        return seconds >= 3600 ? "\(seconds / 3600) h \(minutes)" : minutes
    }

    /// `812 bytes`, `3.4 MB`: powers of ten, as in file managers.
    public static func bytes(_ count: some BinaryInteger) -> String {
        var value = Double(count)
        guard value >= 1000 else { return "\(count) bytes" }
        for unit in ["kB", "MB", "GB"] {
            value /= 1000
            if value < 999.95 { return "\(oneDecimal(value)) \(unit)" }
        }
        return "\(oneDecimal(value / 1000)) TB"
    }

    /// `0.4 MB`, `12 MB`: memory in powers of two, as in limits and process viewers.
    public static func memory(_ bytes: Int) -> String {
        let tenths = Int((Double(bytes) / Double(1 << 20) * 10).rounded())
        return tenths < 100 && tenths % 10 != 0
            ? "\(tenths / 10).\(tenths % 10) MB" : "\((tenths + 5) / 10) MB"
    }

    /// `812 kbit/s`, `3.4 Mbit/s`.
    public static func bitrate(_ bitsPerSecond: Int) -> String {
        let kilobits = (Double(bitsPerSecond) / 1000).rounded()
        return kilobits < 1000 ? "\(Int(kilobits)) kbit/s" : "\(oneDecimal(kilobits / 1000)) Mbit/s"
    }

    /// `0.4 ms`, `34 ms`.
    public static func milliseconds(_ value: Double) -> String {
        value < 10 ? "\(oneDecimal(value)) ms" : "\(whole(value)) ms"
    }

    public static func oneDecimal(_ value: Double) -> String {
        let tenths = whole(value * 10)
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `1 frame`, `2 frames`.
    public static func count(_ number: some BinaryInteger, _ singular: String) -> String {
        "\(number) \(singular)\(number == 1 ? "" : "s")"
    }

    /// `a`, `a and b`, `a, b and c`.
    public static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// The nearest whole number from 0 to 10^17, since an engine may send any number.
    private static func whole(_ value: Double) -> Int {
        // Ten times this limit still fits into an Int.
        Int(min(max(value.isNaN ? 0 : value, 0), 1e17).rounded())
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
