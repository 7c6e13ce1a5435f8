// The support targets that every file here uses.
@_exported import CoreTesting
@_exported import ProcessTesting
