// Objects to which a C library's callbacks lead.

/// A C library keeps this object's address and passes it to its callbacks. The object must live until the last callback has
/// returned: nothing here retains it.
package protocol CallbackTarget: AnyObject {}

extension CallbackTarget {
    package var callbackData: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The object of `callbackData`, which must not be nil.
    package static func from(_ data: UnsafeMutableRawPointer?) -> Self {
        Unmanaged<Self>.fromOpaque(data!).takeUnretainedValue()
    }
}
