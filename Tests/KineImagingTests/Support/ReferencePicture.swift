// A picture computed slowly, pixel by pixel, from the definitions: EXIF's words for the turn, and real numbers for the filter.
import Glibc
import KineMedia

struct ReferencePicture {
    let size: PixelSize
    /// Blue, green and red of each pixel, 0 to 255, row after row.
    private var values: [SIMD3<Double>]

    /// - Parameters:
    ///   - part: what is shown of the upright source.
    ///   - place: where it is shown.
    init(_ screen: TestScreen, orientation: Orientation, part: PixelRect, place: PixelRect, in size: PixelSize) {
        let upright = Plane(screen, orientation: orientation)
        var shown = Plane(width: part.width, height: part.height) { upright[part.x + $0, part.y + $1] }
        if shown.width != place.width || shown.height != place.height {
            shown = shown.scaled(place.width, place.height)
        }
        self.size = size
        values = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let isInside = (place.x..<place.maxX).contains(x) && (place.y..<place.maxY).contains(y)
                values.append(isInside ? shown[x - place.x, y - place.y] : .zero)
            }
        }
    }

    /// The peak signal-to-noise ratio of BGRA pixels, in decibels.
    func likeness(of pixels: [UInt8]) -> Double {
        var sum = SIMD3<Double>.zero
        for pixel in 0..<size.area {
            let found = SIMD3((0..<3).map { Double(pixels[pixel * 4 + $0]) })
            let difference = found - values[pixel]
            sum += difference * difference
        }
        let meanSquare = sum.sum() / Double(3 * size.area)
        return meanSquare == 0 ? .infinity : 10 * log10(65025 / meanSquare)
    }

    /// The picture in BT.709 (ITU-R BT.709-6, 3.2 to 3.5; ITU-T H.273, 8.3): luma, and Cb and Cr of each pixel, or of the mean of each
    /// two by two.
    func planes(_ colour: ColourFormat = .standard) -> [[Double]] {
        func luma(_ bgr: SIMD3<Double>) -> Double { (0.0722 * bgr[0] + 0.7152 * bgr[1] + 0.2126 * bgr[2]) / 255 }
        let (black, lumaRange, chromaRange) = colour.isFullRange ? (0.0, 255.0, 255.0) : (16, 219, 224)
        var (y, cb, cr): ([Double], [Double], [Double]) = ([], [], [])
        for pixel in values { y.append(black + lumaRange * luma(pixel)) }
        let side = colour.chroma == .yuv420 ? 2 : 1
        for top in stride(from: 0, to: size.height, by: side) {
            for left in stride(from: 0, to: size.width, by: side) {
                let (right, bottom) = (min(left + side - 1, size.width - 1), min(top + side - 1, size.height - 1))
                let mean =
                    (values[top * size.width + left] + values[top * size.width + right]
                        + values[bottom * size.width + left] + values[bottom * size.width + right]) / 4
                cb.append(128 + chromaRange * (mean[0] / 255 - luma(mean)) / 1.8556)
                cr.append(128 + chromaRange * (mean[2] / 255 - luma(mean)) / 1.5748)
            }
        }
        return [y, cb, cr]
    }

    /// The peak signal-to-noise ratio of one plane's bytes, in decibels.
    static func likeness(of bytes: [UInt8], to plane: [Double]) -> Double {
        let sum = zip(bytes, plane).reduce(0) { $0 + (Double($1.0) - $1.1) * (Double($1.0) - $1.1) }
        return sum == 0 ? .infinity : 10 * log10(65025 * Double(plane.count) / sum)
    }

    private struct Plane {
        let width: Int
        let height: Int
        private var pixels: [SIMD3<Double>] = []

        init(width: Int, height: Int, _ pixel: (Int, Int) -> SIMD3<Double>) {
            self.width = width
            self.height = height
            for y in 0..<height { for x in 0..<width { pixels.append(pixel(x, y)) } }
        }

        /// EXIF (CIPA DC-008, 4.6.4): the side of the upright picture on which the first row and the first column are.
        init(_ screen: TestScreen, orientation: Orientation) {
            let (rowSide, columnSide): (Side, Side) =
                switch orientation {
                case .up: (.top, .left)
                case .upMirrored: (.top, .right)
                case .down: (.bottom, .right)
                case .downMirrored: (.bottom, .left)
                case .leftMirrored: (.left, .top)
                case .right: (.right, .top)
                case .rightMirrored: (.right, .bottom)
                case .left: (.left, .bottom)
                }
            let size = screen.size
            let isTurned = rowSide == .left || rowSide == .right
            width = isTurned ? size.height : size.width
            height = isTurned ? size.width : size.height
            pixels = Array(repeating: .zero, count: size.area)
            for row in 0..<size.height {
                for column in 0..<size.width {
                    let ofRow = rowSide.place(row, of: size.height)
                    let ofColumn = columnSide.place(column, of: size.width)
                    let (across, down) = isTurned ? (ofRow, ofColumn) : (ofColumn, ofRow)
                    let colour = screen.pixels[row * size.width + column]
                    pixels[down * width + across] = SIMD3([0, 8, 16].map { Double(colour >> $0 & 0xff) })
                }
            }
        }

        private enum Side {
            case top, bottom, left, right
            func place(_ index: Int, of count: Int) -> Int {
                self == .top || self == .left ? index : count - 1 - index
            }
        }

        subscript(x: Int, y: Int) -> SIMD3<Double> { pixels[y * width + x] }

        func scaled(_ newWidth: Int, _ newHeight: Int) -> Plane {
            let across = (0..<newWidth).map { Self.weights($0, from: width, to: newWidth) }
            let down = (0..<newHeight).map { Self.weights($0, from: height, to: newHeight) }
            return Plane(width: newWidth, height: newHeight) { x, y in
                var sum = SIMD3<Double>.zero
                for (row, rowWeight) in down[y] {
                    for (column, weight) in across[x] { sum += self[column, row] * (rowWeight * weight) }
                }
                return sum
            }
        }

        /// The weight of each pixel of a row: a triangle, on each side as wide as a pixel of the row or five sixths of a new one,
        /// whichever is more; of a half, the same for the two in its place.
        private static func weights(_ index: Int, from: Int, to: Int) -> [(Int, Double)] {
            if from == 2 * to { return [(2 * index, 0.5), (2 * index + 1, 0.5)] }
            let middle = (Double(index) + 0.5) / Double(to)
            let width = max(1 / Double(from), 5.0 / 6 / Double(to))
            let weights = (0..<from).map { max(0, 1 - abs((Double($0) + 0.5) / Double(from) - middle) / width) }
            let sum = weights.reduce(0, +)
            return weights.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element / sum) }
        }
    }
}
