// The properties of windows: bytes that any program on the display may have written. Pure.

/// Reads the values of X properties (ICCCM, 4.1.2, and EWMH).
public enum X11Properties {
    /// The windows in a `_NET_CLIENT_LIST`, or the atoms in a list of them: 32 bits each, in the machine's byte order; an incomplete last one is ignored.
    public static func windows(_ value: [UInt8]) -> [UInt32] {
        stride(from: 0, to: value.count - value.count % 4, by: 4).map { start in
            value[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        }
    }

    /// The windows with this title; where there is none, those with the text in their titles. Case does not matter.
    static func windows(titled text: String, in windows: [X11Inventory.Window]) -> [X11Inventory.Window] {
        let wanted = text.lowercased()
        let same = windows.filter { $0.title.lowercased() == wanted }
        return same.isEmpty ? windows.filter { $0.title.lowercased().contains(wanted) } : same
    }

    /// The application in a `WM_CLASS`: two strings, each ended by a zero, the instance and the class.
    public static func application(_ value: [UInt8], _ encoding: X11Text.Encoding) -> String {
        X11Text(value.split(separator: 0).last.map(Array.init) ?? [], encoding).text
    }

    /// The process in a `_NET_WM_PID`: 32 bits.
    public static func process(_ value: [UInt8]) -> Int32? {
        guard value.count == 4 else { return nil }
        let number = value.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
        return number > 0 ? number : nil
    }
}
