// The reader's side of a screen cast over PipeWire. libpipewire's builders of parameters are variadic macros, which Swift cannot import,
// so these are plain functions over a stream. Nothing calls back: what has happened is asked for after `kine_cast_iterate`. A cast is
// used on one thread, and starts none; libpipewire has one of its own, which moves buffers and never touches what is declared here.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Loads libpipewire; false where it is not installed. Nothing else here may be called before this has succeeded, except
// kine_describe_buffer. Any thread may call. The library prints nothing unless PIPEWIRE_DEBUG is set.
bool kine_load_pipewire(void);

// The library's version.
const char *kine_pipewire_version(void);

// Asks the user's daemon, as the environment names it, for its version, and waits `patience` milliseconds at most. False with errno set
// where none answers. (survey.c)
bool kine_pipewire_server_version(char *version, size_t size, int patience);

// MARK: The stream (cast.c)

typedef struct kine_cast kine_cast;

// Pixel formats, by the order of the components in memory. `x` has no meaning.
typedef enum {
    KINE_CAST_BGRX,
    KINE_CAST_BGRA,
    KINE_CAST_RGBX,
    KINE_CAST_RGBA,
    KINE_CAST_BGR,
    KINE_CAST_RGB,
    KINE_CAST_PIXEL_FORMATS // their number
} kine_cast_pixels;

typedef struct {
    // The descriptor of a connection with PipeWire, which belongs to the cast from now on, also where it cannot be opened; negative:
    // the user's own daemon, as the environment names it.
    int descriptor;
    // The node that sends the frames.
    uint32_t node;
    // Frames a second that the other side is not to exceed.
    uint32_t highest_rate;
    // The pixel formats that are accepted, 1 << kine_cast_pixels each.
    uint32_t pixel_formats;
} kine_cast_request;

// Begins to connect with the node, without waiting for it. Null with errno set where there is no such daemon.
kine_cast *kine_cast_open(const kine_cast_request *request);
void kine_cast_close(kine_cast *cast);

// For poll: readable when there is something to iterate over. The same for the cast's whole life.
int kine_cast_descriptor(const kine_cast *cast);

// Handles what has come, without waiting for more.
void kine_cast_iterate(kine_cast *cast);

typedef enum {
    KINE_CAST_CONNECTING,
    // The node sends nothing for now.
    KINE_CAST_PAUSED,
    KINE_CAST_STREAMING,
    // The connection, or the node, has gone.
    KINE_CAST_UNCONNECTED,
    // The daemon or the session manager has refused.
    KINE_CAST_FAILED
} kine_cast_state;

kine_cast_state kine_cast_get_state(const kine_cast *cast);

// Asks the stream to pause or to resume. The stream's state shows when that has happened.
void kine_cast_set_active(kine_cast *cast, bool is_active);

// The library's message for KINE_CAST_UNCONNECTED and KINE_CAST_FAILED, empty if there is none; and its errno, or 0.
const char *kine_cast_error(const kine_cast *cast);
int kine_cast_error_number(const kine_cast *cast);

typedef struct {
    // Counts formats from 1 on; 0: no format is agreed upon now.
    uint32_t serial;
    kine_cast_pixels pixels;
    // From 1 to KINE_CAST_LARGEST_SIDE.
    uint32_t width, height;
} kine_cast_format;

#define KINE_CAST_LARGEST_SIDE 16384

kine_cast_format kine_cast_get_format(const kine_cast *cast);

// MARK: Buffers (buffers.c)

typedef struct {
    int32_t x, y;
    uint32_t width, height;
} kine_cast_rect;

#define KINE_CAST_MOST_DAMAGE 64
#define KINE_CAST_LARGEST_CURSOR 512

// Four bytes a pixel, its components in the order of the letters; colours are multiplied by A.
typedef enum {
    KINE_BITMAP_OTHER,
    KINE_BITMAP_RGBA,
    KINE_BITMAP_BGRA,
    KINE_BITMAP_ARGB,
    KINE_BITMAP_ABGR
} kine_bitmap_format;

// A buffer as the other side describes it. The numbers are unchecked: check each before you rely on it.
typedef struct {
    // Counts buffers from 1 on; never reused.
    uint64_t number;
    // The format for which the buffer was made.
    uint32_t format_serial;

    // Bytes of the buffer's memory that this process can read; 0: none.
    uint64_t capacity;
    uint32_t offset, size;
    int32_t stride;
    // `size` says nothing, as in memory of graphics cards.
    bool has_no_size;
    // Whether the chunk or the header is marked as corrupted.
    bool is_corrupted;

    bool has_header;
    uint64_t sequence;
    // Nanoseconds of CLOCK_MONOTONIC.
    int64_t presentation_time;

    bool has_crop;
    kine_cast_rect crop;

    bool has_damage;
    // More than KINE_CAST_MOST_DAMAGE: there was no room for all.
    uint32_t damage_count;
    kine_cast_rect damage[KINE_CAST_MOST_DAMAGE];

    bool has_transform;
    uint32_t transform;

    bool has_cursor;
    uint32_t cursor_id;
    int32_t cursor_x, cursor_y, hot_spot_x, hot_spot_y;
    bool has_bitmap;
    kine_bitmap_format bitmap_format;
    uint32_t bitmap_width, bitmap_height;
    int32_t bitmap_stride;
    // The bitmap's pixels and the bytes from there to the end of the metadata; null where the metadata ends before. The other side can
    // still write there.
    const uint8_t *bitmap;
    uint64_t bitmap_size;
} kine_cast_buffer;

// Takes the oldest buffer that has come, and describes it. False: there is none. It belongs to the caller until it is given back.
bool kine_cast_next(kine_cast *cast, kine_cast_buffer *buffer);

// The number of buffers that the stream has.
int kine_cast_buffer_count(const kine_cast *cast);

// Gives a buffer back. Nothing where it is gone: a new format takes all buffers away.
void kine_cast_give_back(kine_cast *cast, uint64_t number);

// The buffer's memory, mapped for reading; null where it is gone, or where the other side could take the mapped memory away: such
// memory is read with kine_cast_read alone. Valid until the next kine_cast_iterate.
const uint8_t *kine_cast_memory(kine_cast *cast, uint64_t number);

// Copies `rows` rows of `row_bytes`, which begin `offset` bytes into the buffer's memory and every `stride` bytes after it. False
// where the buffer or a part of its memory is gone, or where the rows are not all within its capacity.
bool kine_cast_read(
    kine_cast *cast, uint64_t number, uint64_t offset, uint64_t stride, uint64_t row_bytes, uint64_t rows, uint8_t *into,
    uint64_t into_stride);

// To be called before the first and after the last look at a buffer's memory: a graphics card may have to finish.
void kine_cast_begin_reading(kine_cast *cast, uint64_t number);
void kine_cast_end_reading(kine_cast *cast, uint64_t number);

// For the functions above, and for tests with foreign bytes. Fills everything but `number`, `format_serial`, `capacity` and
// `has_no_size`, which are the caller's. Each value is read once, since the other side can write while this side reads.
struct spa_buffer;
void kine_describe_buffer(const struct spa_buffer *source, kine_cast_buffer *buffer);
