// Sizes, rectangles and window ids as they are typed.
import ArgumentParser
import KineControl
import KineMedia

/// `1280x720`.
struct SizeOption: ExpressibleByArgument, Equatable {
    var size: PixelSize

    init?(argument: String) {
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = side(sides[0]), let height = side(sides[1]) else { return nil }
        size = PixelSize(width: width, height: height)
    }
}

/// `1280x720`, or `wayland:1280x720`.
struct VirtualScreenOption: ExpressibleByArgument, Equatable {
    var source: TakeConfiguration.Source

    init?(argument: String) {
        let prefix = "wayland:"
        let isWayland = argument.hasPrefix(prefix)
        guard let size = SizeOption(argument: isWayland ? String(argument.dropFirst(prefix.count)) : argument)?.size
        else { return nil }
        source = isWayland ? .virtualWayland(size) : .virtual(size)
    }
}

/// `1280x720+100+50`, X11's geometry: size, then the left and upper edge.
struct RegionOption: ExpressibleByArgument, Equatable {
    var rect: PixelRect

    init?(argument: String) {
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = SizeOption(argument: String(parts[0]))?.size,
            let x = decimal(parts[1]), let y = decimal(parts[2]), x <= 32767, y <= 32767
        else { return nil }
        rect = PixelRect(x: x, y: y, width: size.width, height: size.height)
    }
}

/// `draw`, or a rectangle as `RegionOption` has it.
struct RegionSourceOption: ExpressibleByArgument, Equatable {
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

/// `fit`, `fill`, or a part as `RegionOption` has it.
struct CropOption: ExpressibleByArgument, Equatable {
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

/// A window by its id, windows by `title:TEXT`, or by `app:NAME`.
struct WindowRuleOption: ExpressibleByArgument, Equatable {
    var rule: TakeConfiguration.WindowRule

    init?(argument: String) {
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

/// A window by its X id, decimal or `0x…`, as `kinecast sources`, xwininfo and wmctrl print it, by `title:TEXT`, `focused`, or `ask`.
struct WindowOption: ExpressibleByArgument, Equatable {
    var source: TakeConfiguration.Source

    init?(argument: String) {
        if argument == "focused" {
            source = .focusedWindow
            return
        }
        if argument == "ask" {
            source = .chosenWindow
            return
        }
        if argument.hasPrefix("title:") {
            let title = String(argument.dropFirst("title:".count))
            guard !title.isEmpty, title.utf8.count <= 1000 else { return nil }
            source = .windowTitled(title)
            return
        }
        let text = argument.lowercased()
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard digits.allSatisfy(\.isASCII), digits.first?.isHexDigit == true,
            let id = UInt32(digits, radix: text.hasPrefix("0x") ? 16 : 10), id != 0
        else { return nil }
        source = .window(id)
    }
}

private func side(_ text: Substring) -> Int? {
    guard let value = decimal(text), VideoCodec.frameSides.contains(value) else { return nil }
    return value
}

/// A number of digits alone: `Int` would accept a sign too.
private func decimal(_ text: Substring) -> Int? {
    guard text.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return Int(text)
}
