// What edits may say. They come from a file, or from a page.

extension FilmEdits {
    /// What is wrong with edits: one sentence for a person.
    public enum Problem: Error, Equatable, CustomStringConvertible {
        /// More than `most` of a kind.
        case tooMany(Kind, most: Int)
        /// A range that ends before it begins, or is not within a recording's longest. `number` counts from 1.
        case range(Kind, number: Int)
        /// Two ranges of a kind that exclude each other, the second in the order of beginnings.
        case overlap(Kind, at: Double)
        /// A value outside of what is allowed.
        case value(of: String, allowed: String)

        public var description: String {
            switch self {
            case .tooMany(let kind, let most): "The edits have more than \(most) \(kind.rawValue)s; remove some."
            case .range(let kind, let number):
                "The edits' \(kind.rawValue) number \(number) does not end after its beginning; correct its times."
            case .overlap(let kind, let time):
                "The edits have two \(kind.rawValue)s at \(time) s; let one end before the other begins."
            case .value(let name, let allowed): "The edits' \(name) is not \(allowed); correct it."
            }
        }

        /// As the sentences name it.
        public enum Kind: String, Sendable {
            case cut, zoom, speed
        }
    }

    /// Of each kind.
    static let mostRanges = 2000
    /// In seconds: eleven days.
    private static let longest = 1_000_000.0

    /// Throws the first thing that is wrong.
    public func validate() throws(Problem) {
        try Self.check(.cut, cuts)
        try Self.check(.speed, speeds)
        try Self.check(.zoom, zooms)
        try Self.checkOrder(.speed, speeds.sorted { $0.from < $1.from })
        try Self.checkOrder(.zoom, zooms)
        for speed in speeds { try Self.check("speed", speed.speed, 0.25, 16) }
        for zoom in zooms {
            try Self.check("zoom", zoom.scale, 1, 8)
            guard let centre = zoom.centre else { continue }
            guard centre.count == 2 else { throw .value(of: "centre of a zoom", allowed: "two numbers") }
            for value in centre { try Self.check("centre of a zoom", value, 0, 1) }
        }
        try Self.check("size of the pointer", pointer.scale, 0.25, 8)
        try Self.check("smoothing of the pointer", pointer.smoothing, 0, 1)
        if let background { try check(background) }
        if let size, ![size.width, size.height].allSatisfy({ 16...8192 ~= $0 }) {
            throw .value(of: "size", allowed: "a width and a height from 16 to 8192")
        }
        guard revision >= 0 else { throw .value(of: "revision", allowed: "0 or more") }
    }

    private func check(_ background: Background) throws(Problem) {
        if let colours = background.colours {
            let areColours = colours.allSatisfy {
                $0.utf8.count == 7 && $0.first == "#" && UInt32($0.dropFirst(), radix: 16) != nil
            }
            guard 1...2 ~= colours.count, areColours else {
                throw .value(of: "background", allowed: "one or two colours such as #203040")
            }
        }
        guard background.colours != nil || background.picture != nil else {
            throw .value(of: "background", allowed: "a colour, a gradient or a picture")
        }
        try Self.check("angle of the background", background.angle ?? 0, -360, 360)
        try Self.check("padding of the background", background.padding, 0, 0.4)
        try Self.check("corners of the background", background.corners, 0, 0.5)
        try Self.check("shadow of the background", background.shadow, 0, 1)
    }

    private static func check(_ name: String, _ value: Double, _ least: Double, _ most: Double) throws(Problem) {
        guard value >= least, value <= most else { throw .value(of: name, allowed: "from \(least) to \(most)") }
    }

    private static func check(_ kind: Problem.Kind, _ ranges: [some EditRange]) throws(Problem) {
        guard ranges.count <= mostRanges else { throw .tooMany(kind, most: mostRanges) }
        for (index, range) in ranges.enumerated() {
            guard range.from >= 0, range.from < range.to, range.to <= longest else {
                throw .range(kind, number: index + 1)
            }
        }
    }

    private static func checkOrder(_ kind: Problem.Kind, _ ranges: [some EditRange]) throws(Problem) {
        for (range, next) in zip(ranges, ranges.dropFirst()) where range.to > next.from {
            throw .overlap(kind, at: next.from)
        }
    }
}
