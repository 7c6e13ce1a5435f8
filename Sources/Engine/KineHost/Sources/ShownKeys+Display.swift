// Keys that are shown: the screen's side of it, KineCapture, gets to know from the desktop's where keys go.
import KineDesktop
import KineMedia
import KineX11

extension TakeConfiguration.ShownKeys {
    /// As the source has it.
    var display: KeyDisplay {
        switch self {
        case .shortcuts: return KeyDisplay(.shortcuts)
        case .all:
            let addresses = BusAddresses.find()
            return KeyDisplay(.all) { AccessibleFocus(addresses) }
        }
    }
}

extension AccessibleFocus: FocusInspector {}
