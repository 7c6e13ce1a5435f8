// A program that imports only this module also gets KineMedia's sizes, shapes, damage and pixels.
@_exported import KineMedia
