// A program that imports only this module also gets KineMedia's sample times, sizes, damage and pixels.
@_exported import KineMedia
