// The picture of a key combination: light text on a dark plate, drawn by cairo.
import CCairo
import Glibc
import KineMedia

/// Draws badges of one size. Used by one thread.
package struct KeyBadge {
    /// Pixels; the frame's height determines it.
    private let fontSize: Double
    /// The most characters: a whole text could be wider than a frame.
    private static let longest = 64
    private static let font = "sans-serif"

    /// Throws if cairo or every font is missing.
    package init(frameHeight: Int) throws(VideoSourceError) {
        guard kine_load_cairo() != 0 else { throw .missingLibrary(package: "libcairo2") }
        fontSize = min(max(Double(frameHeight) / 27, 14), 48)
        // Without a font, text has no width.
        guard let image = image(of: "Ctrl"), image.size.width > Int(fontSize * 2) else {
            throw .missingLibrary(package: "fonts-dejavu-core")
        }
    }

    /// Nil without memory.
    package func image(of text: String) -> OverlayImage? {
        let text = String(text.prefix(Self.longest))
        var (extents, font) = (cairo_text_extents_t(), cairo_font_extents_t())
        let couldMeasure = Self.draw(PixelSize(width: 1, height: 1)) { context in
            selectFont(context)
            cairo_text_extents(context, text, &extents)
            cairo_font_extents(context, &font)
        }
        guard couldMeasure != nil else { return nil }
        let padding = fontSize * 0.6
        let size = PixelSize(
            width: Int((extents.x_advance + 2 * padding).rounded(.up)),
            height: Int((font.ascent + font.descent + padding).rounded(.up)))
        return Self.draw(size) { context in
            cairo_set_source_rgba(context, 0.08, 0.08, 0.08, 0.85)
            Self.plate(context, Double(size.width), Double(size.height), radius: fontSize * 0.35)
            selectFont(context)
            cairo_set_source_rgba(context, 1, 1, 1, 1)
            cairo_move_to(context, padding, padding / 2 + font.ascent)
            cairo_show_text(context, text)
        }
    }

    private func selectFont(_ context: OpaquePointer?) {
        cairo_select_font_face(context, Self.font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(context, fontSize)
    }

    private static func plate(_ context: OpaquePointer?, _ width: Double, _ height: Double, radius: Double) {
        cairo_new_sub_path(context)
        for (x, y, quarter) in [
            (width - radius, radius, -1.0), (width - radius, height - radius, 0), (radius, height - radius, 1),
            (radius, radius, 2),
        ] {
            cairo_arc(context, x, y, radius, quarter * .pi / 2, (quarter + 1) * .pi / 2)
        }
        cairo_close_path(context)
        cairo_fill(context)
    }

    private static func draw(_ size: PixelSize, _ body: (OpaquePointer?) -> Void) -> OverlayImage? {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height))
        defer { cairo_surface_destroy(surface) }
        let context = cairo_create(surface)
        defer { cairo_destroy(context) }
        body(context)
        cairo_surface_flush(surface)
        guard cairo_status(context) == CAIRO_STATUS_SUCCESS, let data = cairo_image_surface_get_data(surface) else {
            return nil
        }
        let stride = Int(cairo_image_surface_get_stride(surface))
        return OverlayImage(
            size: size,
            pixels: (0..<size.height).flatMap { y in
                UnsafeRawBufferPointer(start: data + y * stride, count: size.width * 4).bindMemory(to: UInt32.self)
            })
    }
}
