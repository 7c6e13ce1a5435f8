// Parses typed sizes and rectangles.
import KineMedia

/// `1280x720`.
package struct SizeOption: OptionValue, Equatable {
    package static var form: String { "give WxH, \(sides) pixels each, such as 1280x720" }
    fileprivate static var sides: String {
        "\(VideoCodec.frameSides.lowerBound) to \(VideoCodec.frameSides.upperBound)"
    }

    package var size: PixelSize

    package init?(argument: String) {
        guard let size = Self.size(argument, sides: VideoCodec.frameSides) else { return nil }
        self.size = size
    }

    package static func size(_ text: String, sides: ClosedRange<Int>) -> PixelSize? {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map(decimal)
        guard parts.count == 2, let width = parts[0], let height = parts[1], sides ~= width, sides ~= height else {
            return nil
        }
        return PixelSize(width: width, height: height)
    }
}

/// `1280x720`, or `wayland:1280x720`.
package struct VirtualScreenOption: OptionValue, Equatable {
    package static var form: String { SizeOption.form + " or wayland:1280x720; its colours have 24 bits" }

    package var source: TakeConfiguration.Source

    package init?(argument: String) {
        let prefix = "wayland:"
        let isWayland = argument.hasPrefix(prefix)
        guard let size = SizeOption(argument: isWayland ? String(argument.dropFirst(prefix.count)) : argument)?.size
        else { return nil }
        source = isWayland ? .virtualWayland(size) : .virtual(size)
    }
}

/// `1280x720+100+50`, X11's geometry: size, then the left and upper edge; or `100,50 1280x720`, as slurp prints it.
package struct RegionOption: OptionValue, Equatable {
    package static var form: String {
        "give WxH+X+Y, W and H \(SizeOption.sides) pixels, X and Y from 0 at the upper left, such as 640x480+100+50"
    }

    package var rect: PixelRect

    package init?(argument: String) {
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
package struct RegionSourceOption: OptionValue, Equatable {
    package static var form: String { RegionOption.form + ", or draw" }

    package var source: TakeConfiguration.Source

    package init?(argument: String) {
        if argument == "draw" {
            source = .drawnRegion
            return
        }
        guard let region = RegionOption(argument: argument) else { return nil }
        source = .region(region.rect)
    }
}

/// `fit`, `fill`, or a part as in `RegionOption`.
package struct CropOption: OptionValue, Equatable {
    package static var form: String { "give fit or fill, or for a part " + RegionOption.form.dropFirst("give ".count) }

    package var crop: PictureGeometry.Crop

    package init?(argument: String) {
        switch argument {
        case "fit": crop = .fit
        case "fill": crop = .fill
        default:
            guard let region = RegionOption(argument: argument) else { return nil }
            crop = .part(region.rect)
        }
    }
}

/// A number of digits only: `Int` would also accept a sign.
private func decimal(_ text: Substring) -> Int? {
    guard text.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    return Int(text)
}
