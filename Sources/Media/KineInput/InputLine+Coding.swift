// The JSON of each line. What comes from a file may be anything: numbers outside the bounds make a line of an unknown form.
import FoundationEssentials
import KineMedia

extension InputLine: Codable {
    private enum Key: String, CodingKey {
        case version, size, pointer, image, focus, held
        case name, hotspot, png
        case at, way, press, release, place, scroll, typing, change
    }

    /// A pixel, a step of the wheel, or a time beyond that is damage: sums cannot overflow.
    private static let bounds = -(1 << 31)...(1 << 31)

    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        switch self {
        case .state(let state):
            try object.encode(Self.version, forKey: .version)
            try object.encode([state.size.width, state.size.height], forKey: .size)
            try object.encodeIfPresent(state.pointer?.numbers, forKey: .pointer)
            try object.encodeIfPresent(state.image, forKey: .image)
            try object.encodeIfPresent(state.focus?.numbers, forKey: .focus)
            if !state.held.isEmpty { try object.encode(state.held, forKey: .held) }
        case .image(let image):
            try object.encode(image.name, forKey: .name)
            try object.encode(image.hotspot.numbers, forKey: .hotspot)
            try object.encode(Data(image.bytes).base64EncodedString(), forKey: .png)
        case .way(let at, let from, let steps):
            try object.encode(at, forKey: .at)
            try object.encode(from.numbers + steps.flatMap { [$0.after, $0.x, $0.y] }, forKey: .way)
        case .pointerLeft(let at):
            try object.encode(at, forKey: .at)
            try object.encodeNil(forKey: .pointer)
        case .pointerImage(let name, let at):
            try object.encode(at, forKey: .at)
            try object.encode(name, forKey: .image)
        case .press(let button, let at, let place), .release(let button, let at, let place):
            try object.encode(at, forKey: .at)
            if case .press = self { try object.encode(button, forKey: .press) }
            if case .release = self { try object.encode(button, forKey: .release) }
            try object.encode(place.numbers, forKey: .place)
        case .scroll(let x, let y, let at):
            try object.encode(at, forKey: .at)
            try object.encode([x, y], forKey: .scroll)
        case .typing(let range): try object.encode([range.lowerBound, range.upperBound], forKey: .typing)
        case .focus(let rect, let at):
            try object.encode(at, forKey: .at)
            try object.encode(rect?.numbers, forKey: .focus)
        case .change(let rects, let at):
            try object.encode(at, forKey: .at)
            try object.encode(rects.map(\.numbers), forKey: .change)
        }
    }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        func damage(_ description: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: description))
        }
        func numbers(_ key: Key, count: Int? = nil) throws -> [Int] {
            let numbers = try object.decode([Int].self, forKey: key)
            guard numbers.allSatisfy(Self.bounds.contains), count == nil || numbers.count == count else {
                throw damage("other numbers")
            }
            return numbers
        }
        func time() throws -> Int {
            let time = try object.decode(Int.self, forKey: .at)
            guard time >= 0, Self.bounds.contains(time) else {
                throw damage("another time")
            }
            return time
        }
        func point(_ key: Key) throws -> PixelPoint { PixelPoint(try numbers(key, count: 2)) }
        if object.contains(.version) {
            guard try object.decode(Int.self, forKey: .version) == Self.version else {
                throw damage("another version")
            }
            let size = try numbers(.size, count: 2)
            var state = InputState(size: PixelSize(width: size[0], height: size[1]))
            if object.contains(.pointer) { state.pointer = try point(.pointer) }
            state.image = try object.decodeIfPresent(String.self, forKey: .image)
            if object.contains(.focus) { state.focus = PixelRect(try numbers(.focus, count: 4)) }
            state.held = try object.decodeIfPresent([PointerButton].self, forKey: .held) ?? []
            self = .state(state)
        } else if object.contains(.png) {
            guard let bytes = Data(base64Encoded: try object.decode(String.self, forKey: .png)) else {
                throw damage("no image")
            }
            self = .image(
                InputImage(
                    name: try object.decode(String.self, forKey: .name), hotspot: try point(.hotspot),
                    bytes: Array(bytes)))
        } else if object.contains(.way) {
            let way = try numbers(.way)
            guard way.count % 3 == 2 else {
                throw damage("half a step")
            }
            let steps = stride(from: 2, to: way.count, by: 3).map {
                InputStep(after: way[$0], x: way[$0 + 1], y: way[$0 + 2])
            }
            self = .way(at: try time(), from: PixelPoint(way), steps: steps)
        } else if object.contains(.press) {
            self = .press(try object.decode(PointerButton.self, forKey: .press), at: try time(), try point(.place))
        } else if object.contains(.release) {
            self = .release(try object.decode(PointerButton.self, forKey: .release), at: try time(), try point(.place))
        } else if object.contains(.scroll) {
            let steps = try numbers(.scroll, count: 2)
            self = .scroll(x: steps[0], y: steps[1], at: try time())
        } else if object.contains(.typing) {
            let bounds = try numbers(.typing, count: 2)
            guard bounds[0] < bounds[1] else {
                throw damage("no span")
            }
            self = .typing(bounds[0]..<bounds[1])
        } else if object.contains(.change) {
            let rects = try object.decode([[Int]].self, forKey: .change)
            guard rects.allSatisfy({ $0.count == 4 && $0.allSatisfy(Self.bounds.contains) }) else {
                throw damage("no rectangles")
            }
            self = .change(rects.map { PixelRect($0) }, at: try time())
        } else if object.contains(.focus) {
            let isNone = try object.decodeNil(forKey: .focus)
            self = .focus(isNone ? nil : PixelRect(try numbers(.focus, count: 4)), at: try time())
        } else if object.contains(.image) {
            self = .pointerImage(try object.decodeIfPresent(String.self, forKey: .image), at: try time())
        } else {
            guard try object.decodeNil(forKey: .pointer) else {
                throw damage("another form")
            }
            self = .pointerLeft(at: try time())
        }
    }
}

extension PixelPoint {
    fileprivate var numbers: [Int] { [x, y] }
    fileprivate init(_ numbers: [Int]) { self.init(x: numbers[0], y: numbers[1]) }
}

extension PixelRect {
    fileprivate var numbers: [Int] { [x, y, width, height] }
    fileprivate init(_ numbers: [Int]) {
        self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}
