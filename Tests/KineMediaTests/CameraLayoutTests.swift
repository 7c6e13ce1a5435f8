// The camera's place in pictures of all shapes.
import CoreTesting
import KineMedia
import Testing

@Suite struct CameraLayoutTests {
    private static let pictures = [(1920, 1080), (540, 960), (64, 64), (333, 217), (16, 400)]
    private static let cameras = [(640, 480), (1280, 720), (480, 640), (1, 1)]

    @Test func `every place is inside of the picture, in the corners with a margin`() {
        var generator = SeededGenerator(seed: 5)
        for (width, height) in Self.pictures {
            let picture = PixelSize(width: width, height: height)
            for (cameraWidth, cameraHeight) in Self.cameras {
                for shape in CameraLayout.Shape.allCases {
                    let layout = CameraLayout(
                        x: .random(in: 0...1, using: &generator), y: .random(in: 0...1, using: &generator),
                        size: .random(in: 0.02...1, using: &generator), shape: shape)
                    let geometry = layout.geometry(
                        of: PixelSize(width: cameraWidth, height: cameraHeight), in: picture)
                    #expect(geometry.size == picture)
                    #expect(geometry.place.intersection(PixelRect(size: picture)) == geometry.place)
                    #expect(!geometry.place.isEmpty && !geometry.part.isEmpty)
                }
            }
        }
    }

    @Test func `its height is the fraction that was asked for, and its shape is the camera's`() {
        let picture = PixelSize(width: 1920, height: 1080)
        let geometry = CameraLayout(x: 1, y: 1, size: 0.25).geometry(
            of: PixelSize(width: 640, height: 480), in: picture)
        // 1080 / 4, and 2 % of 1080 to the edges.
        #expect(geometry.place == PixelRect(x: 1920 - 360 - 22, y: 1080 - 270 - 22, width: 360, height: 270))
        #expect(geometry.part == PixelRect(x: 0, y: 0, width: 640, height: 480))
        let narrow = CameraLayout(size: 1).geometry(
            of: PixelSize(width: 640, height: 480), in: PixelSize(width: 540, height: 960))
        #expect(narrow.place.size == PixelSize(width: 540, height: 405))
    }

    @Test func `a circle shows the middle of the camera`() {
        let geometry = CameraLayout(x: 0, y: 0, size: 0.5, shape: .circle).geometry(
            of: PixelSize(width: 640, height: 480), in: PixelSize(width: 1000, height: 400))
        #expect(geometry.place == PixelRect(x: 8, y: 8, width: 200, height: 200))
        #expect(geometry.part == PixelRect(x: 80, y: 0, width: 480, height: 480))
    }

    @Test func `a camera that fills the picture has no margin`() {
        let picture = PixelSize(width: 640, height: 480)
        let geometry = CameraLayout(x: 1, y: 0.5, size: 1).geometry(of: picture, in: picture)
        #expect(geometry.isIdentity)
        let mirrored = CameraLayout(size: 1, isMirrored: true).geometry(of: picture, in: picture)
        #expect(mirrored.orientation == .upMirrored && mirrored.place == PixelRect(size: picture))
    }

    @Test func `numbers out of their ranges are not valid`() {
        #expect(CameraLayout().isValid)
        #expect(!CameraLayout(x: -0.1).isValid && !CameraLayout(y: 1.1).isValid && !CameraLayout(x: .nan).isValid)
        #expect(!CameraLayout(size: 0).isValid && !CameraLayout(size: 1.5).isValid && !CameraLayout(size: .nan).isValid)
        #expect(
            !CameraLayout(border: .init(width: 0.6)).isValid && !CameraLayout(border: .init(colour: 1 << 24)).isValid)
    }
}
