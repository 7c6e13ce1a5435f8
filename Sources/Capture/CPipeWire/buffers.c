// The memory of a cast's buffers. libpipewire could map it (PW_STREAM_FLAG_MAP_BUFFERS), but believes the other side about its size:
// where that side shrinks the file, reading the mapping ends in SIGBUS. So it is mapped here, and only where it cannot shrink.
#include "CLinux.h"
#include "cast.h"
#include <linux/dma-buf.h>
#include <spa/buffer/buffer.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

static struct slot *find(kine_cast *cast, uint64_t number) {
    for (int index = 0; number && index < MOST_BUFFERS; index++)
        if (cast->slots[index].number == number) return &cast->slots[index];
    return NULL;
}

// Maps `capacity` bytes of the slot's file for reading.
static void map(struct slot *slot) {
    int64_t start = slot->file_offset & ~(int64_t)(sysconf(_SC_PAGESIZE) - 1);
    size_t before = slot->file_offset - start;
    void *mapping = mmap(NULL, before + slot->capacity, PROT_READ, MAP_SHARED, slot->descriptor, start);
    if (mapping == MAP_FAILED) {
        slot->capacity = 0;
        return;
    }
    slot->mapping = mapping;
    slot->mapping_size = before + slot->capacity;
    slot->memory = (const uint8_t *)mapping + before;
}

static void open_memory_file(struct slot *slot, const struct spa_data *data) {
    struct stat status;
    // A file that is not in memory, such as one of a slow or dead network, could keep a read waiting for ever.
    int64_t sealed_size = kine_sealed_size(slot->descriptor);
    if (sealed_size < 0 || fstat(slot->descriptor, &status) < 0) return;
    if (slot->file_offset + (int64_t)data->maxsize > status.st_size) return;
    slot->capacity = data->maxsize;
    // xdg-desktop-portal-wlr's memory has no seals: it is read with pread, which ends early where the file does.
    if (sealed_size >= slot->file_offset + (int64_t)data->maxsize) map(slot);
}

// Whether the descriptor is a driver's memory, whose size is fixed, and not a file that could shrink under a mapping.
static bool is_dmabuf(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 && status.f_type == 0x444d4142; // DMA_BUF_MAGIC (linux/magic.h)
}

// Never run: there was no machine with a graphics card. A linear layout is read as any memory; drivers whose memory cannot be
// mapped refuse here, and the buffer counts as unreadable.
static void open_graphics_memory(struct slot *slot, const struct spa_data *data) {
    off_t size = lseek(slot->descriptor, 0, SEEK_END); // fixed for the memory's life (dma-buf, "size")
    if (size <= slot->file_offset) return;
    // `maxsize` is 0 with some producers.
    int64_t there = size - slot->file_offset;
    slot->capacity = data->maxsize && data->maxsize < there ? data->maxsize : there > UINT32_MAX ? UINT32_MAX : there;
    map(slot);
}

void kine_cast_add_buffer(void *context, struct pw_buffer *buffer) {
    kine_cast *cast = context;
    struct slot *slot = NULL;
    for (int index = 0; !slot && index < MOST_BUFFERS; index++)
        if (!cast->slots[index].number) slot = &cast->slots[index];
    buffer->user_data = slot;
    if (!slot) return;
    *slot = (struct slot){
        .number = ++cast->buffers_seen, .buffer = buffer, .format_serial = cast->format.serial, .descriptor = -1,
        .busy = spa_buffer_find_meta_data(buffer->buffer, SPA_META_Busy, sizeof *slot->busy)};
    if (buffer->buffer->n_datas < 1) return;
    const struct spa_data *data = &buffer->buffer->datas[0];
    slot->type = data->type;
    if (data->type == SPA_DATA_MemPtr) {
        // The pointer lies in memory that the daemon itself has made and sealed, and that libpipewire has mapped.
        slot->memory = data->data;
        slot->capacity = data->data ? data->maxsize : 0;
        return;
    }
    if (data->fd < 0 || data->fd > INT32_MAX) return;
    slot->descriptor = (int)data->fd;
    slot->file_offset = data->mapoffset;
    if (data->type == SPA_DATA_DmaBuf && is_dmabuf(slot->descriptor))
        open_graphics_memory(slot, data);
    else if (data->type == SPA_DATA_MemFd || data->type == SPA_DATA_DmaBuf)
        open_memory_file(slot, data);
}

void kine_cast_remove_buffer(void *context, struct pw_buffer *buffer) {
    (void)context;
    struct slot *slot = buffer->user_data;
    buffer->user_data = NULL;
    if (!slot) return;
    if (slot->mapping) munmap(slot->mapping, slot->mapping_size);
    *slot = (struct slot){0};
}

bool kine_cast_next(kine_cast *cast, kine_cast_buffer *description) {
    struct pw_buffer *buffer;
    struct slot *slot = NULL;
    while (!slot && (buffer = pw_stream_dequeue_buffer(cast->stream))) {
        slot = buffer->user_data;
        if (!slot) pw_stream_queue_buffer(cast->stream, buffer);
    }
    if (!slot) return false;
    slot->is_lent = true;
    description->number = slot->number;
    description->format_serial = slot->format_serial;
    description->capacity = slot->capacity;
    description->has_no_size = slot->type == SPA_DATA_DmaBuf;
    kine_describe_buffer(buffer->buffer, description);
    return true;
}

int kine_cast_buffer_count(const kine_cast *cast) {
    int count = 0;
    for (int index = 0; index < MOST_BUFFERS; index++) count += cast->slots[index].number > 0;
    return count;
}

void kine_cast_give_back(kine_cast *cast, uint64_t number) {
    struct slot *slot = find(cast, number);
    if (!slot || !slot->is_lent) return;
    slot->is_lent = false;
    // pw_stream_queue_buffer counts down as well, and puts the buffer into a queue, from which each new frame takes one buffer. A frame
    // that comes in a buffer of that queue is dropped silently (libpipewire 0.3.65 to 1.6), and the other side may send one at once.
    if (slot->busy)
        __atomic_sub_fetch(&slot->busy->count, 1, __ATOMIC_SEQ_CST);
    else
        pw_stream_queue_buffer(cast->stream, slot->buffer);
}

const uint8_t *kine_cast_memory(kine_cast *cast, uint64_t number) {
    struct slot *slot = find(cast, number);
    return slot ? slot->memory : NULL;
}

static bool read_file(const struct slot *slot, uint64_t offset, uint64_t count, uint8_t *into) {
    while (count > 0) {
        ssize_t done = pread(slot->descriptor, into, count, slot->file_offset + (int64_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        offset += done;
        into += done;
        count -= done;
    }
    return true;
}

bool kine_cast_read(
    kine_cast *cast, uint64_t number, uint64_t offset, uint64_t stride, uint64_t row_bytes, uint64_t rows, uint8_t *into,
    uint64_t into_stride) {
    const struct slot *slot = find(cast, number);
    if (!slot || !rows) return false;
    // Below 2³² each, so that no sum or product is beyond 64 bits.
    if (offset > UINT32_MAX || stride > UINT32_MAX || row_bytes > UINT32_MAX || rows > UINT16_MAX) return false;
    uint64_t count = (rows - 1) * stride + row_bytes;
    if (offset + count > slot->capacity) return false;
    if (!slot->memory && into_stride == stride) return read_file(slot, offset, count, into);
    for (uint64_t row = 0; row < rows; row++, offset += stride, into += into_stride) {
        if (slot->memory)
            memcpy(into, slot->memory + offset, row_bytes);
        else if (!read_file(slot, offset, row_bytes, into))
            return false;
    }
    return true;
}

// Never run either (DMA_BUF_IOCTL_SYNC, linux/dma-buf.h). A failure shows as a picture that is not finished, for one frame.
static void synchronize(kine_cast *cast, uint64_t number, uint64_t edge) {
    const struct slot *slot = find(cast, number);
    if (!slot || slot->type != SPA_DATA_DmaBuf || slot->descriptor < 0) return;
    struct dma_buf_sync sync = {.flags = edge | DMA_BUF_SYNC_READ};
    while (ioctl(slot->descriptor, DMA_BUF_IOCTL_SYNC, &sync) < 0 && errno == EINTR) {}
}

void kine_cast_begin_reading(kine_cast *cast, uint64_t number) { synchronize(cast, number, DMA_BUF_SYNC_START); }

void kine_cast_end_reading(kine_cast *cast, uint64_t number) { synchronize(cast, number, DMA_BUF_SYNC_END); }
