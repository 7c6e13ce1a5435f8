// A buffer's metadata as plain numbers. Its memory is shared with the other side, which may change it at any instant: each value is
// read once, and only then looked at.
#include "CPipeWire.h"
#include <spa/buffer/buffer.h>
#include <spa/buffer/meta.h>
#include <spa/param/video/raw.h>
#include <string.h>

// Copies foreign memory; the compiler must not read it a second time where the copy is used.
static void copy_once(void *copy, const void *foreign, size_t size) {
    memcpy(copy, foreign, size);
    __asm__ volatile("" ::: "memory");
}

// A metadata of at least `size` bytes; null where there is none.
static const struct spa_meta *find(const struct spa_buffer *source, uint32_t type, size_t size) {
    for (uint32_t index = 0; index < source->n_metas; index++) {
        const struct spa_meta *meta = &source->metas[index];
        if (meta->type == type && meta->data && meta->size >= size) return meta;
    }
    return NULL;
}

static kine_cast_rect rect(const struct spa_region *region) {
    return (kine_cast_rect){region->position.x, region->position.y, region->size.width, region->size.height};
}

static void describe_header(const struct spa_buffer *source, kine_cast_buffer *buffer) {
    struct spa_meta_header header;
    const struct spa_meta *meta = find(source, SPA_META_Header, sizeof header);
    if (!meta) return;
    copy_once(&header, meta->data, sizeof header);
    buffer->has_header = true;
    buffer->sequence = header.seq;
    buffer->presentation_time = header.pts;
    if (header.flags & SPA_META_HEADER_FLAG_CORRUPTED) buffer->is_corrupted = true;
}

static void describe_crop(const struct spa_buffer *source, kine_cast_buffer *buffer) {
    struct spa_region crop;
    const struct spa_meta *meta = find(source, SPA_META_VideoCrop, sizeof crop);
    if (!meta) return;
    copy_once(&crop, meta->data, sizeof crop);
    buffer->has_crop = true;
    buffer->crop = rect(&crop);
}

// The list ends with its memory, or with the first rectangle that has no area.
static void describe_damage(const struct spa_buffer *source, kine_cast_buffer *buffer) {
    struct spa_region region;
    const struct spa_meta *meta = find(source, SPA_META_VideoDamage, 0);
    if (!meta) return;
    buffer->has_damage = true;
    const uint8_t *place = meta->data;
    for (size_t left = meta->size; left >= sizeof region; left -= sizeof region, place += sizeof region) {
        copy_once(&region, place, sizeof region);
        if (!region.size.width || !region.size.height) return;
        if (buffer->damage_count < KINE_CAST_MOST_DAMAGE) buffer->damage[buffer->damage_count] = rect(&region);
        if (++buffer->damage_count > KINE_CAST_MOST_DAMAGE) return;
    }
}

static void describe_transform(const struct spa_buffer *source, kine_cast_buffer *buffer) {
    struct spa_meta_videotransform transform;
    const struct spa_meta *meta = find(source, SPA_META_VideoTransform, sizeof transform);
    if (!meta) return;
    copy_once(&transform, meta->data, sizeof transform);
    buffer->has_transform = true;
    buffer->transform = transform.transform;
}

static kine_bitmap_format bitmap_format(uint32_t format) {
    switch (format) {
    case SPA_VIDEO_FORMAT_RGBA: return KINE_BITMAP_RGBA;
    case SPA_VIDEO_FORMAT_BGRA: return KINE_BITMAP_BGRA;
    case SPA_VIDEO_FORMAT_ARGB: return KINE_BITMAP_ARGB;
    case SPA_VIDEO_FORMAT_ABGR: return KINE_BITMAP_ABGR;
    default: return KINE_BITMAP_OTHER;
    }
}

// The bitmap lies at an offset from the cursor's metadata, and its pixels at an offset from there.
static void describe_cursor(const struct spa_buffer *source, kine_cast_buffer *buffer) {
    struct spa_meta_cursor cursor;
    struct spa_meta_bitmap bitmap;
    const struct spa_meta *meta = find(source, SPA_META_Cursor, sizeof cursor);
    if (!meta) return;
    copy_once(&cursor, meta->data, sizeof cursor);
    buffer->has_cursor = true;
    buffer->cursor_id = cursor.id;
    buffer->cursor_x = cursor.position.x;
    buffer->cursor_y = cursor.position.y;
    buffer->hot_spot_x = cursor.hotspot.x;
    buffer->hot_spot_y = cursor.hotspot.y;
    if (cursor.bitmap_offset < sizeof cursor || cursor.bitmap_offset > meta->size ||
        meta->size - cursor.bitmap_offset < sizeof bitmap)
        return;
    const uint8_t *place = (const uint8_t *)meta->data + cursor.bitmap_offset;
    copy_once(&bitmap, place, sizeof bitmap);
    buffer->has_bitmap = true;
    buffer->bitmap_format = bitmap_format(bitmap.format);
    buffer->bitmap_width = bitmap.size.width;
    buffer->bitmap_height = bitmap.size.height;
    buffer->bitmap_stride = bitmap.stride;
    uint32_t left = meta->size - cursor.bitmap_offset;
    if (bitmap.offset < sizeof bitmap || bitmap.offset > left) return;
    buffer->bitmap = place + bitmap.offset;
    buffer->bitmap_size = left - bitmap.offset;
}

void kine_describe_buffer(const struct spa_buffer *source, kine_cast_buffer *buffer) {
    uint64_t number = buffer->number, capacity = buffer->capacity;
    uint32_t format_serial = buffer->format_serial;
    bool has_no_size = buffer->has_no_size;
    memset(buffer, 0, sizeof *buffer);
    buffer->number = number;
    buffer->capacity = capacity;
    buffer->format_serial = format_serial;
    buffer->has_no_size = has_no_size;
    if (source->n_datas > 0 && source->datas[0].chunk) {
        struct spa_chunk chunk;
        copy_once(&chunk, source->datas[0].chunk, sizeof chunk);
        buffer->offset = chunk.offset;
        buffer->size = chunk.size;
        buffer->stride = chunk.stride;
        buffer->is_corrupted = chunk.flags & SPA_CHUNK_FLAG_CORRUPTED;
    }
    describe_header(source, buffer);
    describe_crop(source, buffer);
    describe_damage(source, buffer);
    describe_transform(source, buffer);
    describe_cursor(source, buffer);
}
