// The stream and its buffers, for cast.c and buffers.c.
#pragma once
#include "CPipeWire.h"
#include <pipewire/pipewire.h>

#define MOST_BUFFERS 64 // libpipewire's own limit for a stream

// A buffer that the daemon has given to the stream, and its memory as this process reads it.
struct slot {
    uint64_t number; // 0: the slot is free
    struct pw_buffer *buffer;
    uint32_t format_serial;
    uint32_t type; // of SPA_DATA_
    // Bytes that can be read; 0: none.
    uint32_t capacity;
    // Null where the memory is read with pread.
    const uint8_t *memory;
    void *mapping; // null: there is none of ours
    size_t mapping_size;
    int descriptor;
    int64_t file_offset;
    bool is_lent;
    // Counts the streams that use the buffer; the other side fills it when none does. Null: it fills what leaves libpipewire's queue.
    struct spa_meta_busy *busy;
};

struct kine_cast {
    struct pw_loop *loop;
    bool is_entered;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct pw_stream *stream;
    struct spa_hook stream_listener;
    kine_cast_state state;
    char error[256];
    int error_number;
    kine_cast_format format;
    uint32_t formats_seen;
    bool format_is_dmabuf;
    uint64_t buffers_seen;
    struct slot slots[MOST_BUFFERS];
};

// The listeners of the stream's buffers.
void kine_cast_add_buffer(void *cast, struct pw_buffer *buffer);
void kine_cast_remove_buffer(void *cast, struct pw_buffer *buffer);
