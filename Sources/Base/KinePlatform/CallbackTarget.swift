// Objects to which a C library's callbacks lead.

/// An object whose address a C library gets, and hands to its callbacks. It must outlive them.
package protocol CallbackTarget: AnyObject {}

extension CallbackTarget {
    package var callbackData: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    package static func from(_ data: UnsafeMutableRawPointer?) -> Self {
        Unmanaged<Self>.fromOpaque(data!).takeUnretainedValue()
    }
}
