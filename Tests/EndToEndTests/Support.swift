// What all files here use.
@_exported import ProcessTesting
@_exported import TestSupport
