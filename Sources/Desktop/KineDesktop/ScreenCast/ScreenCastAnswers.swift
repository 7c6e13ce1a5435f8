// Reads the portal's answers. Any program can own the portal's name on the bus, so everything is checked.

enum ScreenCastAnswers {
    /// The most bytes of a restore token. Portals use 36.
    static let longestToken = 4096

    /// Reads the answer of `GetAll`.
    static func offer(_ values: [BusValue]) throws(PortalError) -> ScreenCastOffer {
        guard values.count == 1, let properties = values[0].asProperties else { throw PortalAnswers.wrongTypes(values) }
        func number(_ name: String) throws(PortalError) -> UInt32 {
            guard let number = properties[name]?.asUInt32 else {
                throw .malformed("the property \(name) is missing or no number")
            }
            return number
        }
        let version = try number("version")
        return ScreenCastOffer(
            version: version, sourceTypes: try number("AvailableSourceTypes"),
            // Since version 2.
            cursorModes: version >= 2 ? try number("AvailableCursorModes") : 0)
    }

    /// Reads the results of `Start`: the stream, and the token that restores it.
    static func stream(
        _ results: [String: BusValue], of target: ScreenCastRequest.Target, _ cursorMode: CursorMode
    ) throws(PortalError) -> (stream: ScreenCastStream, restoreToken: String?) {
        guard let streams = results["streams"], streams.type == "a(ua{sv})", let first = streams.elements?.first else {
            throw .malformed("there is no stream")
        }
        guard let members = first.members, members.count == 2, let node = members[0].asUInt32,
            let properties = members[1].asProperties
        else { throw PortalAnswers.wrongTypes([first]) }
        // Node 0 is PipeWire's core, and PW_ID_ANY is no node.
        guard node != 0, node != .max else { throw .malformed("the stream has no node") }
        var stream = ScreenCastStream(node: node, cursorMode: cursorMode)
        stream.position = try pair("position", properties).map { ScreenCastStream.Position(x: $0, y: $1) }
        // Some portals send 0x0 for an unknown size.
        stream.size = try pair("size", properties).flatMap { width, height in
            width > 0 && height > 0 ? ScreenCastStream.Size(width: width, height: height) : nil
        }
        if let value = properties["source_type"] {
            guard let type = value.asUInt32 else { throw .malformed("source_type is no number") }
            stream.target = type == target.sourceType ? target : nil
        }
        if let value = properties["pipewire-serial"] {
            guard case .uint64(let serial) = value else { throw .malformed("pipewire-serial is no number") }
            stream.serial = serial
        }
        return (stream, try restoreToken(results))
    }

    /// Nil if there is none; some desktops send an empty one.
    private static func restoreToken(_ results: [String: BusValue]) throws(PortalError) -> String? {
        guard let value = results["restore_token"] else { return nil }
        guard case .string(let token) = value else { throw .malformed("the restore token is no text") }
        guard token.utf8.count <= longestToken else { throw .malformed("the restore token is too long") }
        return token.isEmpty ? nil : token
    }

    /// Reads the answer of `OpenPipeWireRemote`.
    static func remote(_ values: [BusValue]) throws(PortalError) -> BusDescriptor {
        guard values.count == 1, let descriptor = values[0].asDescriptor else { throw PortalAnswers.wrongTypes(values) }
        return descriptor
    }

    private static func pair(
        _ name: String, _ properties: [String: BusValue]
    ) throws(PortalError) -> (Int32, Int32)? {
        guard let value = properties[name] else { return nil }
        guard let members = value.members, members.count == 2, let first = members[0].asInt32,
            let second = members[1].asInt32
        else { throw .malformed("\(name) is no pair of numbers") }
        return (first, second)
    }
}
