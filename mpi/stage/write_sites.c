#include "mpi/stage/write_sites.h"

#include "io/input/page_maker.h"
#include "mpi/stage/digests.h"
#include "mpi/stage/result_tables.h"
#include "src/text/address.h"

#include <stdlib.h>
#include <string.h>

/* ---- names */

/* Fetched from the rank of a page. */
typedef struct site_name {
    uint8_t size;
    uint8_t text[ND_SITE_HOST_SIZE];
} site_name;

typedef struct name_source {
    nd_job *job;
    site_name name; /* the latest */
} name_source;

static nd_status give_name(void *context, uint64_t page, nd_span *bytes) {
    nd_status st = ND_OK;
    name_source *from = context;
    nd_job *job = from->job;
    uint8_t memory[ND_SITE_HOST_SIZE];
    nd_span id;
    nd_span url;
    ND_TRY(nd_page_store_names(&job->pages, (size_t)(page - nd_job_own_first(job)), &id, &url));
    nd_span name = nd_site_host(url, memory);
    name = job->options.content.by_domain ? nd_registered_domain(name) : name;
    from->name = (site_name){.size = (uint8_t)name.size};
    memcpy(from->name.text, name.data, name.size);
    *bytes = (nd_span){(const uint8_t *)&from->name, sizeof from->name};
out:
    return st;
}

/* Collective. The names of this rank's sites one after the other, in rounds of bounded size. */
static nd_status list_names(nd_job *job, nd_spool *names, uint64_t *ends) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const uint64_t room = job->options.memory.round / sizeof(site_name) + 1;
    name_source source = {.job = job};
    const nd_provider provider = {.context = &source, .give = give_name};
    nd_spool_reader reader;
    nd_found_site *sites = NULL;
    uint64_t *places = NULL;
    uint64_t *pages = NULL;
    site_name *found = NULL;
    uint64_t count = 0;
    nd_spool_reader_open(&reader, &job->sites.sites, sizeof *sites, 0,
                         job->sites.sites.size / sizeof *sites, (size_t)job->options.memory.round);
    st = nd_new_room(&sites, room, sizeof *sites);
    st = st != ND_OK ? st : nd_new_room(&places, room, sizeof *places);
    ND_TRY(nd_comm_agree(comm, st));
    do {
        uint64_t page_count = 0;
        st = nd_spool_reader_take(&reader, sites, room, &count);
        for (uint64_t i = 0; i < count; i++) {
            places[i] = sites[i].page;
        }
        st = st != ND_OK ? st : nd_pages_places(places, count, &pages, &page_count);
        ND_TRY(nd_comm_agree(comm, st));
        ND_TRY(
            nd_fetch_fixed(comm, job->first, pages, page_count, &provider, sizeof *found, &found));
        for (uint64_t i = 0; st == ND_OK && i < count; i++, ends++) {
            const site_name *name = &found[places[i]];
            ends[1] = ends[0] + name->size;
            st = nd_spool_append(names, name->text, name->size);
        }
        free(pages);
        free(found);
        pages = NULL;
        found = NULL;
        ND_TRY(nd_comm_agree(comm, st));
    } while (nd_comm_max(comm, count) > 0);
out:
    nd_spool_reader_close(&reader);
    free(sites);
    free(places);
    free(pages);
    return st;
}

/* ---- columns */

/* Collective. A column whose rows lie in a spool, in rounds of bounded size. */
static nd_status put_spool(nd_job *job, nd_result *result, const char *name, nd_column_type type,
                           const nd_spool *spool) {
    nd_status st = ND_OK;
    nd_comm *comm = &job->comm;
    const size_t size = nd_column_size(type);
    const uint64_t rows = spool->size / size;
    const uint64_t room = job->options.memory.round / size + 1;
    uint8_t *values = NULL;
    nd_spool_reader reader;
    nd_slab slab = {.total = nd_comm_sum(comm, rows), .offset = nd_comm_before(comm, rows)};
    nd_spool_reader_open(&reader, spool, size, 0, rows, (size_t)job->options.memory.round);
    ND_TRY(nd_comm_agree(comm, nd_new_room(&values, room, size)));
    do {
        ND_TRY(nd_comm_agree(comm, nd_spool_reader_take(&reader, values, room, &slab.count)));
        ND_TRY(nd_result_put(job, result, name, type, &slab, values));
        slab.offset += slab.count;
        slab.goes_on = true;
    } while (nd_comm_max(comm, slab.count) > 0);
out:
    nd_spool_reader_close(&reader);
    free(values);
    return st;
}

/* Collective. Where the lists of this rank's sites end, after `before` of the ranks before. */
static nd_status put_ends(nd_job *job, nd_result *result, const char *name, uint64_t *ends,
                          const nd_slab *rows) {
    const uint64_t before = nd_comm_before(&job->comm, ends[rows->count]);
    for (uint64_t i = 0; i <= rows->count; i++) {
        ends[i] += before;
    }
    return nd_result_put_offsets(job, result, name, ends, rows);
}

nd_status nd_write_sites(nd_job *job, nd_result *result) {
    nd_status st = ND_OK;
    nd_found_sites *found = &job->sites;
    const uint64_t count = found->sites.size / sizeof(nd_found_site);
    const nd_slab rows = {nd_comm_sum(&job->comm, count), nd_comm_before(&job->comm, count), count,
                          false};
    uint64_t *name_ends = NULL;
    uint64_t *template_ends = NULL;
    uint64_t *repeated_ends = NULL;
    uint8_t *repeats_all = NULL;
    nd_spool names;
    nd_spool_reader reader;
    const void *records = NULL;
    uint64_t read = 0;
    nd_spool_open(&names, &job->folder, job->options.memory.spool);
    nd_spool_reader_open(&reader, &found->sites, sizeof(nd_found_site), 0, count,
                         (size_t)job->options.memory.round);
    st = nd_new(&name_ends, count + 1, sizeof *name_ends);
    st = st != ND_OK ? st : nd_new(&template_ends, count + 1, sizeof *template_ends);
    st = st != ND_OK ? st : nd_new(&repeated_ends, count + 1, sizeof *repeated_ends);
    st = st != ND_OK ? st : nd_new(&repeats_all, count, sizeof *repeats_all);
    for (uint64_t next = 0;
         st == ND_OK && (st = nd_spool_reader_next(&reader, &records, &read)) == ND_OK && read > 0;
         next += read) {
        const nd_found_site *sites = records;
        for (uint64_t i = 0; i < read; i++) {
            template_ends[next + i + 1] = template_ends[next + i] + sites[i].templates;
            repeated_ends[next + i + 1] = repeated_ends[next + i] + sites[i].repeated;
            repeats_all[next + i] = sites[i].repeats_all != 0;
        }
    }
    ND_TRY(nd_comm_agree(&job->comm, st));
    ND_TRY(list_names(job, &names, name_ends));
    ND_TRY(put_ends(job, result, "/sites/name_offset", name_ends, &rows));
    ND_TRY(put_spool(job, result, "/sites/name_bytes", ND_COLUMN_U8, &names));
    ND_TRY(put_ends(job, result, "/sites/template_offset", template_ends, &rows));
    ND_TRY(put_spool(job, result, "/sites/template", ND_COLUMN_U64, &found->templates));
    ND_TRY(put_ends(job, result, "/sites/repeated_offset", repeated_ends, &rows));
    ND_TRY(put_spool(job, result, "/sites/repeated", ND_COLUMN_U64, &found->repeated));
    ND_TRY(nd_result_put(job, result, "/sites/repeats_all", ND_COLUMN_U8, &rows, repeats_all));
out:
    nd_spool_reader_close(&reader);
    nd_spool_close(&names);
    free(name_ends);
    free(template_ends);
    free(repeated_ends);
    free(repeats_all);
    return st;
}
