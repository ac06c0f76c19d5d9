#include "mpi/job/packed_array.h"

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a block: with more, tokens repeat more often; but all of it is unpacked for one page. */
enum { BLOCK_BYTES = 1 << 18 };

static void name_arrays(const char *array, char packed[32], char blocks[32]) {
    (void)snprintf(packed, 32, "%s.packed", array);
    (void)snprintf(blocks, 32, "%s.blocks", array);
}

nd_status nd_packed_extent_of(const nd_checkpoint *from, const char *array,
                              nd_packed_extent *extent) {
    nd_status st = ND_OK;
    char packed[32];
    char blocks[32];
    nd_packed_block last = {0};
    name_arrays(array, packed, blocks);
    *extent = (nd_packed_extent){.packed = nd_checkpoint_count(from, packed),
                                 .blocks = nd_checkpoint_count(from, blocks)};
    if (extent->blocks > 0) {
        ND_TRY(nd_checkpoint_load(from, blocks, sizeof last, extent->blocks - 1, extent->blocks,
                                  &last));
        if (last.size > UINT64_MAX - last.first) {
            return nd_fail(ND_ERR_FORMAT, "%s: damaged: %s", from->folder.path, blocks);
        }
        extent->bytes = last.first + last.size;
    }
out:
    return st;
}

/* ---- writing */

void nd_packer_open(nd_packer *packer, nd_packing packing, nd_spool_folder *folder,
                    uint64_t memory) {
    *packer = (nd_packer){.packing = packing};
    nd_spool_open(&packer->packed, folder, memory);
    nd_spool_open(&packer->blocks, folder, memory);
}

static nd_status end_block(nd_packer *packer) {
    nd_status st = ND_OK;
    nd_packer *p = packer;
    p->made.size = 0;
    ND_TRY(nd_pack(p->packing, p->block.data, p->block.size, &p->made));
    const nd_packed_block block = {p->size - p->block.size, p->block.size, p->packed.size,
                                   p->made.size};
    ND_TRY(nd_spool_append(&p->packed, p->made.data, p->made.size));
    ND_TRY(nd_spool_append(&p->blocks, &block, sizeof block));
    p->block.size = 0;
out:
    return st;
}

nd_status nd_packer_add(nd_packer *packer, const void *bytes, size_t size) {
    nd_status st = ND_OK;
    if (packer->block.size > 0 && packer->block.size + size > BLOCK_BYTES) {
        ND_TRY(end_block(packer));
    }
    ND_TRY(nd_buffer_append(&packer->block, bytes, size));
    packer->size += size;
    ND_ASSERT(packer->block.size <= packer->size, packer->block.size, packer->size);
out:
    return st;
}

nd_status nd_packer_keep(nd_packer *packer, nd_status st, nd_checkpoint *to, const char *array,
                         const nd_packed_extent *before, uint64_t *first) {
    nd_packer *p = packer;
    char packed[32];
    char blocks[32];
    nd_spool table; /* with what comes before added */
    nd_spool_reader reader = {0};
    const void *records = NULL;
    uint64_t count = 1;
    name_arrays(array, packed, blocks);
    st = st == ND_OK && p->block.size > 0 ? end_block(p) : st;
    const uint64_t block_count = p->blocks.size / sizeof(nd_packed_block);
    *first = before->bytes + nd_comm_before(to->comm, p->size);
    const uint64_t place = before->packed + nd_comm_before(to->comm, p->packed.size);
    const uint64_t number = before->blocks + nd_comm_before(to->comm, block_count);
    nd_spool_open(&table, p->blocks.folder, 0);
    ND_TRY(st);
    nd_spool_reader_open(&reader, &p->blocks, sizeof(nd_packed_block), 0, block_count, 1 << 16);
    while (count > 0) {
        ND_TRY(nd_spool_reader_next(&reader, &records, &count));
        for (uint64_t i = 0; i < count; i++) {
            nd_packed_block block = ((const nd_packed_block *)records)[i];
            block.first += *first;
            block.place += place;
            ND_TRY(nd_spool_append(&table, &block, sizeof block));
        }
    }
    ND_TRY(nd_checkpoint_keep(to, packed, 1, place, &p->packed));
    ND_TRY(nd_checkpoint_keep(to, blocks, sizeof(nd_packed_block), number, &table));
out:
    nd_spool_reader_close(&reader);
    nd_spool_close(&table);
    return st;
}

void nd_packer_close(nd_packer *packer) {
    nd_buffer_free(&packer->block);
    nd_buffer_free(&packer->made);
    nd_spool_close(&packer->packed);
    nd_spool_close(&packer->blocks);
}

/* ---- reading */

nd_status nd_packed_reader_open(nd_packed_reader *reader, nd_packing packing,
                                const nd_checkpoint *from, const char *array) {
    *reader = (nd_packed_reader){.from = from, .packing = packing};
    name_arrays(array, reader->packed_name, reader->blocks_name);
    return nd_packed_extent_of(from, array, &reader->extent);
}

static nd_status damaged(const nd_packed_reader *reader) {
    return nd_fail(ND_ERR_FORMAT, "%s: damaged: %s", reader->from->folder.path,
                   reader->packed_name);
}

static bool holds(const nd_packed_block *block, uint64_t byte) {
    return byte >= block->first && byte - block->first < block->size;
}

/* Unpack the block that has a byte. */
static nd_status unpack_at(nd_packed_reader *reader, uint64_t byte) {
    nd_status st = ND_OK;
    nd_packed_reader *r = reader;
    uint64_t begin = 0;
    uint64_t end = r->extent.blocks; /* it is one of [begin, end) */
    nd_packed_block block = {0};
    uint64_t middle = r->block.size > 0 ? nd_min(r->block_number + 1, end - 1) : (begin + end) / 2;
    while (begin < end) { /* the next one as a rule */
        ND_TRY(
            nd_checkpoint_load(r->from, r->blocks_name, sizeof block, middle, middle + 1, &block));
        if (holds(&block, byte)) {
            break;
        }
        if (byte < block.first) {
            end = middle;
        } else {
            begin = middle + 1;
        }
        middle = begin + (end - begin) / 2;
    }
    r->block.size = 0;
    if (begin >= end || block.size > UINT32_MAX || block.packed_bytes > UINT32_MAX ||
        block.place > r->extent.packed || block.packed_bytes > r->extent.packed - block.place) {
        return damaged(r);
    }
    r->packed.size = r->bytes.size = 0;
    ND_TRY(nd_buffer_reserve(&r->packed, block.packed_bytes));
    ND_TRY(nd_buffer_reserve(&r->bytes, block.size));
    ND_TRY(nd_checkpoint_load(r->from, r->packed_name, 1, block.place,
                              block.place + block.packed_bytes, r->packed.data));
    st = nd_unpack(r->packing, (nd_span){r->packed.data, (size_t)block.packed_bytes}, r->bytes.data,
                   (size_t)block.size);
    ND_TRY(st == ND_ERR_FORMAT ? damaged(r) : st);
    r->block = block;
    r->block_number = middle;
out:
    return st;
}

nd_status nd_packed_read(nd_packed_reader *reader, uint64_t begin, size_t size, void *to) {
    nd_status st = ND_OK;
    uint8_t *next = to;
    if (begin > reader->extent.bytes || size > reader->extent.bytes - begin) {
        return damaged(reader);
    }
    for (uint64_t byte = begin, end = begin + size; byte < end;) {
        ND_TRY(holds(&reader->block, byte) ? ND_OK : unpack_at(reader, byte));
        const uint64_t at = byte - reader->block.first;
        ND_ASSERT(at < reader->block.size, byte, reader->block.first, reader->block.size);
        const size_t now = (size_t)nd_min(end - byte, reader->block.size - at);
        memcpy(next, reader->bytes.data + at, now);
        next += now;
        byte += now;
    }
out:
    return st;
}

void nd_packed_reader_close(nd_packed_reader *reader) {
    nd_buffer_free(&reader->packed);
    nd_buffer_free(&reader->bytes);
    *reader = (nd_packed_reader){0};
}
