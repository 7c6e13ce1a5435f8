// Tables of functions for libwayland, which calls them for an object's events.

/// A table of functions, at a place that does not change: libwayland keeps its address. None of them may be nil:
/// libwayland ends a process that has no function for an event.
package final class Listener<Table> {
    /// An interface's own function: `wl_registry_add_listener` for a table `wl_registry_listener`.
    package typealias Adding = (OpaquePointer?, UnsafePointer<Table>?, UnsafeMutableRawPointer?) -> Int32

    private let add: Adding
    private let table: UnsafeMutablePointer<Table>

    package init(_ add: @escaping Adding, _ table: Table) {
        self.add = add
        self.table = .allocate(capacity: 1)
        self.table.initialize(to: table)
    }

    deinit {
        table.deinitialize(count: 1)
        table.deallocate()
    }

    /// Calls the table's functions with `context` for the events of an object of the interface. This listener and
    /// `context` have to outlive the object, which is returned. It is nil where there was no memory for it.
    @discardableResult
    package func attach(to object: OpaquePointer?, _ context: UnsafeMutableRawPointer) -> OpaquePointer? {
        if let object { _ = add(object, table, context) }
        return object
    }
}
