// Parses typed sizes, rectangles and window ids.
import ArgumentParser
import KineMedia

/// The value of an option, whose error message states its form and limits.
protocol OptionValue {
    /// The form of an accepted value, in the imperative: "give WxH".
    static var form: String { get }

    /// Nil if the text has another form.
    init?(argument: String)
}

extension OptionValue {
    /// For `@Option(transform:)`.
    static func parse(_ text: String) throws -> Self {
        guard let value = Self(argument: text) else { throw ValidationError(form) }
        return value
    }
}

/// `1280x720`.
struct SizeOption: OptionValue, Equatable {
    static var form: String { "give WxH, \(sides) pixels each, such as 1280x720" }
    fileprivate static var sides: String {
        "\(VideoCodec.frameSides.lowerBound) to \(VideoCodec.frameSides.upperBound)"
    }

    var size: PixelSize

    init?(argument: String) {
        guard let size = Self.size(argument, sides: VideoCodec.frameSides) else { return nil }
        self.size = size
    }

    static func size(_ text: String, sides: ClosedRange<Int>) -> PixelSize? {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map(decimal)
        guard parts.count == 2, let width = parts[0], let height = parts[1], sides ~= width, sides ~= height else {
            return nil
        }
        return PixelSize(width: width, height: height)
    }
}

/// `1280x720`, or `wayland:1280x720`.
struct VirtualScreenOption: OptionValue, Equatable {
    static var form: String { SizeOption.form + " or wayland:1280x720; its colours have 24 bits" }

    var source: TakeConfiguration.Source

    init?(argument: String) {
        let prefix = "wayland:"
        let isWayland = argument.hasPrefix(prefix)
        guard let size = SizeOption(argument: isWayland ? String(argument.dropFirst(prefix.count)) : argument)?.size
        else { return nil }
        source = isWayland ? .virtualWayland(size) : .virtual(size)
    }
}

/// `1280x720+100+50`, X11's geometry: size, then the left and upper edge; or `100,50 1280x720`, as slurp prints it.
struct RegionOption: OptionValue, Equatable {
    static var form: String {
        "give WxH+X+Y, W and H \(SizeOption.sides) pixels, X and Y from 0 at the upper left, such as 640x480+100+50"
    }

    var rect: PixelRect

    init?(argument: String) {
        guard let parts = Self.slurp(argument) ?? Self.geometry(argument),
            let size = SizeOption(argument: String(parts.size))?.size,
            let x = decimal(parts.x), let y = decimal(parts.y), x <= 32767, y <= 32767
        else { return nil }
        rect = PixelRect(x: x, y: y, width: size.width, height: size.height)
    }

    private typealias Parts = (size: Substring, x: Substring, y: Substring)

    private static func geometry(_ text: String) -> Parts? {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        return parts.count == 3 ? (parts[0], parts[1], parts[2]) : nil
    }

    private static func slurp(_ text: String) -> Parts? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let corner = parts[0].split(separator: ",", omittingEmptySubsequences: false)
        return corner.count == 2 ? (parts[1], corner[0], corner[1]) : nil
    }
}

/// `draw`, or a rectangle as in `RegionOption`.
struct RegionSourceOption: OptionValue, Equatable {
    static var form: String { RegionOption.form + ", or draw" }

    var source: TakeConfiguration.Source

    init?(argument: String) {
        if argument == "draw" {
            source = .drawnRegion
            return
        }
        guard let region = RegionOption(argument: argument) else { return nil }
        source = .region(region.rect)
    }
}

/// `fit`, `fill`, or a part as in `RegionOption`.
struct CropOption: OptionValue, Equatable {
    static var form: String { "give fit or fill, or for a part " + RegionOption.form.dropFirst("give ".count) }

    var crop: PictureGeometry.Crop

    init?(argument: String) {
        switch argument {
        case "fit": crop = .fit
        case "fill": crop = .fill
        default:
            guard let region = RegionOption(argument: argument) else { return nil }
            crop = .part(region.rect)
        }
    }
}

/// Degrees, clockwise.
enum RotationOption: Int, ExpressibleByArgument, CaseIterable {
    case none = 0
    case right = 90
    case half = 180
    case left = 270

    var orientation: Orientation {
        switch self {
        case .none: .up
        case .right: .right
        case .half: .down
        case .left: .left
        }
    }
}

/// A window's id, `title:TEXT` or `app:NAME` for several windows, or `none`.
struct WindowRuleOption: OptionValue, Equatable {
    static var form: String { "give an id that kinecast sources lists, title:TEXT, app:NAME or none" }

    /// Absent with `none`.
    var rule: TakeConfiguration.WindowRule?

    init?(argument: String) {
        if argument == "none" { return }
        if argument.hasPrefix("app:") {
            let name = String(argument.dropFirst("app:".count))
            guard !name.isEmpty, name.utf8.count <= 1000 else { return nil }
            rule = .application(name)
            return
        }
        switch WindowOption(argument: argument)?.source {
        case .window(let id): rule = .id(id)
        case .windowTitled(let title): rule = .titled(title)
        default: return nil
        }
    }
}

/// A window: its X id, decimal or `0x…`, as `kinecast sources`, xwininfo and wmctrl print it; or `title:TEXT`,
/// `focused`, `ask` or `command`.
struct WindowOption: OptionValue, Equatable {
    static var form: String { "give an id that kinecast sources lists, title:TEXT, focused, ask or command" }

    var source: TakeConfiguration.Source

    init?(argument: String) {
        switch argument {
        case "focused": source = .focusedWindow
        case "ask": source = .chosenWindow
        case "command": source = .commandWindow(TakeConfiguration.CommandWindow(.first))
        case _ where argument.hasPrefix("title:"):
            let title = String(argument.dropFirst("title:".count))
            guard !title.isEmpty, title.utf8.count <= 1000 else { return nil }
            source = .windowTitled(title)
        default:
            let text = argument.lowercased()
            let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
            guard digits.allSatisfy(\.isASCII), digits.first?.isHexDigit == true,
                let id = UInt32(digits, radix: text.hasPrefix("0x") ? 16 : 10), id != 0
            else { return nil }
            source = .window(id)
        }
    }
}

/// A number of digits only: `Int` would also accept a sign.
private func decimal(_ text: Substring) -> Int? {
    guard text.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return Int(text)
}
