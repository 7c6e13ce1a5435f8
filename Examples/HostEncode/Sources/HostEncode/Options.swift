// The words that the app is started with.

struct Options {
    enum Encoder: String, CaseIterable {
        case openh264, x264
    }

    var address: String
    var encoder = Encoder.openh264
    var showsWindow = false

    /// Bits a second, unless the network takes less.
    static let bitrate = 1_500_000
    static let framesPerSecond = 30

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var address: String?
        var words = Array(arguments)[...]
        while let word = words.popFirst() {
            switch word {
            case "--window": showsWindow = true
            case "--encoder":
                guard let name = words.popFirst(), let encoder = Encoder(rawValue: name) else { throw UsageError() }
                self.encoder = encoder
            default:
                guard address == nil, !word.hasPrefix("-") else { throw UsageError() }
                address = word
            }
        }
        guard let address else { throw UsageError() }
        self.address = address
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description = "usage: HostEncode RTMP-URL [--encoder openh264|x264] [--window]"
}
