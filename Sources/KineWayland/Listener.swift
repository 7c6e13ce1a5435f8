// Tables of functions for libwayland.

/// A table of functions, at a place that does not change: libwayland keeps its address.
package final class Listener<Table> {
    package let table: UnsafeMutablePointer<Table>

    package init(_ table: Table) {
        self.table = .allocate(capacity: 1)
        self.table.initialize(to: table)
    }

    deinit {
        table.deinitialize(count: 1)
        table.deallocate()
    }
}
