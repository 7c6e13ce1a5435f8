// The memory layout of the pixels of an X server's screen or windows (X Protocol, section 8, "VISUALTYPE").
import CXCB
import KineCapture

/// A visual of the server. VNC servers may exchange red and blue; desktops with ten bits a channel have 30 bits a
/// pixel; a window may have another visual than the screen.
struct X11Visual: Equatable {
    /// Colour bits of a pixel.
    var depth: Int
    /// Bits from one pixel to the next.
    var bitsPerPixel = 32
    /// The lowest bits of a pixel come first.
    var isLittleEndian = true
    // The bits of each channel in a pixel.
    var red: UInt32
    var green: UInt32
    var blue: UInt32

    /// Nil: these pixels cannot be converted.
    var packing: PackedPixels? {
        guard bitsPerPixel == 32, isLittleEndian else { return nil }
        return switch (red, green, blue) {
        case (0xff_0000, 0xff00, 0xff): .bgra
        case (0xff, 0xff00, 0xff_0000): .rgba
        case (0x3ff0_0000, 0xf_fc00, 0x3ff): .bgr30
        case (0x3ff, 0xf_fc00, 0x3ff0_0000): .rgb30
        default: nil
        }
    }

    /// The pixel with all channels full.
    var white: UInt32 { red | green | blue }

    /// Applied to a pixel shifted right by one, keeps the bits in which each channel is halved.
    var halfMask: UInt32 { red & red >> 1 | green & green >> 1 | blue & blue >> 1 }

    /// All visuals of a connection's screens, by their IDs.
    static func all(of connection: OpaquePointer) -> [UInt32: X11Visual] {
        guard let setup = xcb_get_setup(connection) else { return [:] }
        var bits: [UInt8: Int] = [:]
        var formats = xcb_setup_pixmap_formats_iterator(setup)
        while formats.rem > 0 {
            bits[formats.data.pointee.depth] = Int(formats.data.pointee.bits_per_pixel)
            xcb_format_next(&formats)
        }
        let isLittleEndian = setup.pointee.image_byte_order == UInt8(XCB_IMAGE_ORDER_LSB_FIRST.rawValue)
        var visuals: [UInt32: X11Visual] = [:]
        var screens = xcb_setup_roots_iterator(setup)
        while screens.rem > 0 {
            var depths = xcb_screen_allowed_depths_iterator(screens.data)
            while depths.rem > 0 {
                let depth = depths.data.pointee.depth
                let types = UnsafeBufferPointer(
                    start: xcb_depth_visuals(depths.data), count: Int(xcb_depth_visuals_length(depths.data)))
                for type in types {
                    visuals[type.visual_id] = X11Visual(
                        depth: Int(depth), bitsPerPixel: bits[depth] ?? 0, isLittleEndian: isLittleEndian,
                        red: type.red_mask, green: type.green_mask, blue: type.blue_mask)
                }
                xcb_depth_next(&depths)
            }
            xcb_screen_next(&screens)
        }
        return visuals
    }
}
