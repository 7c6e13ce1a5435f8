// Where desktops show the dialog that asks what is recorded.

/// Places in the dialog of a desktop with a monitor of 1280x720 pixels, in pixels from its first corner.
package struct PortalDialog: Sendable {
    package typealias Clicks = [(x: Int, y: Int)]

    /// The places to click, one after the other, to share the monitor.
    package let monitor: Clicks
    /// The same to share the only window.
    package let window: Clicks
    /// The same to share nothing.
    package let cancel: Clicks
    /// To bind five keys: in GNOME's dialog of Debian 13. KDE asks nothing up to Plasma 6.3.
    package static let keys: Clicks = [(840, 186)]

    package init(of kind: PortalDesktop.Kind) {
        // GNOME's shell has a bar of 32 pixels above, and what it centers is lower by half of that.
        let down = kind == .gnomeShell ? 16 : 0
        (monitor, window, cancel) =
            switch (kind, PortalDesktop.isOfDebian12) {
            // The first monitor in its list is a new one.
            case (.kwin, true): ([(767, 340), (780, 603)], [(523, 244), (757, 608)], [(868, 603)])
            // Here one click shares, and the window is closed to cancel. Before the monitor come a new one and a region.
            case (.kwin, false): ([(502, 436)], [(742, 400)], [(910, 134)])
            case (_, true):
                ([(640, 386 + down), (853, 233 + down)], [(640, 386 + down), (853, 233 + down)], [(430, 233 + down)])
            // Here the only monitor is chosen already; another click would choose none.
            case (_, false): ([(922, 133 + down)], [(640, 300 + down), (922, 133 + down)], [(360, 133 + down)])
            }
    }
}
