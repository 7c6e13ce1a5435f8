// Buffers of a screen cast out of a fuzzer's bytes. What libpipewire itself makes of foreign memory is not tried here: it hands out a
// number of metadata, each with a kind, an address and a size, whose contents the other side writes as it likes.
#pragma once
#include <CPipeWire.h>

// Describes a buffer whose metadata are made of `bytes`: for each, a byte for its kind, one for its size in units of 4 bytes, and the
// contents, which end where the memory ends. Returns the number of bytes that were used.
size_t cast_bytes_describe(const uint8_t *bytes, size_t count, kine_cast_buffer *buffer, void (*look)(const kine_cast_buffer *, void *), void *context);
