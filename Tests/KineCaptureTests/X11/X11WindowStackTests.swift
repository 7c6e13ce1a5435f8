// Which windows lie in a place, in which order, and which of their pixels may be another window's.
import KineMedia
import Testing

@testable import KineX11

@Suite struct X11WindowStackTests {
    private static let place = PixelRect(x: 100, y: 100, width: 100, height: 50)

    /// Shown windows with these numbers, all in the place, the first the lowest, of which nothing is new.
    private func stack(_ ids: UInt32...) -> X11WindowStack {
        var stack = X11WindowStack()
        for id in ids { stack.insert(X11WindowStack.Window(id: id, bounds: Self.place, isShown: true)) }
        return stack
    }

    private func order(_ stack: X11WindowStack, except others: Set<UInt32> = []) -> [UInt32] {
        stack.shown(in: [Self.place], except: others).map(\.id)
    }

    private func window(_ id: UInt32, in stack: X11WindowStack) throws -> X11WindowStack.Window {
        let everywhere = PixelRect(x: -30000, y: -30000, width: 60000, height: 60000)
        return try #require(stack.shown(in: [everywhere], except: []).first { $0.id == id })
    }

    @Test func `windows are in the order in which they were put above one another`() {
        var stack = stack(1, 2, 3)
        #expect(stack.configure(1, Self.place, above: 2) == [Self.place, Self.place])
        #expect(order(stack) == [2, 1, 3])
        #expect(stack.configure(3, Self.place, above: 0) == [Self.place, Self.place])
        #expect(order(stack) == [3, 2, 1])
        #expect(stack.configure(2, Self.place, above: 3) == [], "it was there")
        #expect(stack.circulate(3, isToTop: true) == [Self.place, Self.place])
        #expect(order(stack) == [2, 1, 3])
        #expect(stack.circulate(1, isToTop: false) == [Self.place, Self.place])
        #expect(order(stack) == [1, 2, 3] && order(stack, except: [2]) == [1, 3])
        // A window above one that is not known, such as Composite's overlay window, stays in its order.
        #expect(stack.configure(2, Self.place, above: 77) == [] && order(stack) == [1, 2, 3])
        #expect(stack.configure(78, Self.place, above: 1) == [])
        #expect(stack.remove(2) == [Self.place] && order(stack) == [1, 3])
        stack.insert(X11WindowStack.Window(id: 2, bounds: Self.place))
        #expect(order(stack) == [1, 3], "it is not shown")
        #expect(stack.show(2) == [Self.place] && order(stack) == [1, 3, 2])
        #expect(stack.hide(2) == [Self.place] && order(stack) == [1, 3])
        #expect(stack.hide(2) == [])
        #expect(X11WindowStack().shown(in: [Self.place], except: []) == [])
    }

    @Test func `only windows that reach into a place are drawn there`() {
        var stack = stack(1)
        let beside = PixelRect(x: 200, y: 100, width: 50, height: 50)
        #expect(stack.configure(1, beside, above: 0) == [Self.place, beside])
        #expect(order(stack) == [])
        #expect(stack.shown(in: [Self.place, PixelRect(x: 249, y: 149, width: 9, height: 9)], except: []).count == 1)
        _ = stack.configure(1, beside.offset(x: -1, y: 0), above: 0)
        #expect(order(stack) == [1])
    }

    @Test func `what a window manager keeps below its guard window is not drawn, and a window without pixels is not`() {
        var stack = stack(1, 2, 3, 4)
        stack.ignore(4, isLowest: false)
        #expect(order(stack) == [1, 2, 3])
        stack.ignore(2, isLowest: true)
        #expect(order(stack) == [3])
        _ = stack.configure(1, Self.place, above: 3)
        #expect(order(stack) == [3, 1])
        _ = stack.hide(2)
        _ = stack.configure(1, Self.place, above: 0)
        #expect(order(stack) == [1, 3])
        _ = stack.remove(2)
        stack.insert(X11WindowStack.Window(id: 2, bounds: Self.place, isShown: true))
        #expect(order(stack) == [1, 3, 2], "another window with that number")
    }

    @Test func `a window that is shown or resized may have pixels of what was there until it is settled`() throws {
        var stack = stack(1)
        #expect(try window(1, in: stack).foreignParts(of: [Self.place]) == [])
        _ = stack.configure(1, Self.place.offset(x: 10, y: 0), above: 0)
        #expect(try window(1, in: stack).foreignParts(of: [Self.place]) == [], "a move keeps the pixels")
        let larger = PixelRect(x: 110, y: 100, width: 200, height: 100)
        _ = stack.configure(1, larger, above: 0)
        #expect(
            try window(1, in: stack).foreignParts(of: [Self.place])
                == [PixelRect(x: 110, y: 100, width: 90, height: 50)])
        stack.settle(except: [1])
        #expect(try window(1, in: stack).isNew)
        stack.settle()
        #expect(try window(1, in: stack).foreignParts(of: [Self.place]) == [])
        _ = stack.hide(1)
        _ = stack.show(1)
        #expect(try !window(1, in: stack).foreignParts(of: [Self.place]).isEmpty)
        stack.settle()
        stack.renew(1)
        #expect(try !window(1, in: stack).foreignParts(of: [Self.place]).isEmpty)
    }

    @Test func `such pixels go along with a window that moves before it is settled`() throws {
        var stack = stack(1)
        _ = stack.hide(1)
        _ = stack.configure(1, Self.place.offset(x: 500, y: 0), above: 0)
        _ = stack.configure(1, Self.place, above: 0)
        _ = stack.show(1)
        #expect(try window(1, in: stack).travel == 0, "it was not seen there")
        _ = stack.configure(1, Self.place.offset(x: 0, y: 60), above: 0)
        #expect(
            try window(1, in: stack).foreignParts(of: [Self.place])
                == [PixelRect(x: 100, y: 160, width: 100, height: 50)])
        #expect(order(stack) == [1], "although it lies beside the place now")
        stack.settle()
        #expect(order(stack) == [])
    }

    @Test func `the ways of windows that come to be hidden are known, and of those that went unseen`() {
        var stack = stack(1, 2)
        let (second, third) = (Self.place.offset(x: 20, y: 0), Self.place.offset(x: 40, y: 0))
        for id: UInt32 in 1...2 {
            _ = stack.configure(id, second, above: 0)
            _ = stack.configure(id, third, above: 0)
        }
        #expect(stack.look(finding: [2]) == [Self.place, second])
        #expect(stack.look(finding: [2]) == [])
        stack.endLook()
        #expect(stack.look(finding: [1]) == [], "it was examined before")
        _ = stack.remove(1)
        #expect(stack.look(finding: []) == [])
        stack.insert(X11WindowStack.Window(id: 3, bounds: Self.place))
        _ = stack.show(3)
        _ = stack.configure(3, second, above: 0)
        _ = stack.remove(3)
        #expect(stack.look(finding: []) == [Self.place, second])
        #expect(stack.look(finding: []) == [])
        stack.insert(X11WindowStack.Window(id: 4, bounds: Self.place))
        _ = stack.remove(4)
        #expect(stack.look(finding: []) == [], "it was never shown")
    }
}
