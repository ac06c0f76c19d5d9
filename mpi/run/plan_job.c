#include "mpi/run/plan_job.h"

#include "io/store/own_file.h"
#include "mpi/stage/compare.h"
#include "mpi/stage/gather.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/site_sample.h"
#include "mpi/stage/stage_contain.h"
#include "mpi/stage/state.h"
#include "src/base/printable.h"
#include "src/plan/plan_records.h"
#include "src/sketch/histogram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(ND_PLAN_PAGE == sizeof(nd_stored_page), "a plan counts stored pages");
_Static_assert(ND_PLAN_PAIR == sizeof(nd_pair), "a plan counts pairs");
_Static_assert(ND_PLAN_LINK == sizeof(nd_link), "a plan counts links");
_Static_assert(ND_PLAN_CANDIDATE == sizeof(nd_candidate), "a plan counts candidates");
_Static_assert(ND_PLAN_POSTING == sizeof(nd_key_value), "a plan counts postings");
_Static_assert(ND_PLAN_GROUPED == sizeof(nd_group_member), "a plan counts members of groups");
_Static_assert(ND_PLAN_SAMPLE == sizeof(nd_site_page), "a plan counts sampled pages");
_Static_assert(ND_PLAN_FRAGMENT == sizeof(nd_site_fragment), "a plan counts fragments");
_Static_assert(ND_PLAN_MARKS == sizeof(nd_site_marks), "a plan counts marks");
_Static_assert(ND_PLAN_CONTAIN_HIT == sizeof(nd_contained_hit), "a plan counts hits");
_Static_assert(ND_PLAN_TREE_LINK == sizeof(nd_tree_link), "a plan counts tree links");
_Static_assert(ND_PLAN_MEMBERSHIP == sizeof(nd_membership), "a plan counts memberships");
_Static_assert(ND_PLAN_MEMBER == sizeof(nd_set_member), "a plan counts members");
_Static_assert(ND_PLAN_SENTENCE == sizeof(nd_sentence_digest) &&
                   ND_PLAN_PLACES == ND_TEXT_SET * sizeof(nd_text_place) &&
                   ND_PLAN_BLOCK_BYTES == ND_PAGE_STORE_BLOCK &&
                   ND_PLAN_PACKED_SORT == ND_SORT_PACKS,
               "a plan counts packed texts");
_Static_assert(ND_PLAN_RECORD == 2 * sizeof(uint64_t) + sizeof(nd_histogram),
               "a plan counts digests");

nd_plan_task nd_plan_usual_machine(void) {
    return (nd_plan_task){.speed = 1, .input_disk = 500e6, .disk = 500e6, .network = 1.25e9};
}

nd_plan_memory nd_plan_memory_shares(uint64_t total) {
    const nd_memory m = nd_memory_shares(total);
    const double parts = ND_PAGE_STORE_PARTS;
    return (nd_plan_memory){.total = (double)m.total,
                            .store = (double)m.store,
                            .sort = (double)m.sort,
                            .spool = (double)m.spool,
                            .batch = (double)m.batch,
                            .round = (double)m.round,
                            .plain_share = ND_PAGE_STORE_PLAIN / parts,
                            .packed_share = ND_PAGE_STORE_PACKED / parts,
                            .read_share = ND_PAGE_STORE_READ / parts,
                            .packer_share = ND_PAGE_STORE_PACKER / parts,
                            .kept_read_share = ND_PAGE_STORE_READ_KEPT / parts,
                            .kept_packer_share = ND_PAGE_STORE_PACKER_KEPT / parts,
                            .name_share = ND_PAGE_STORE_NAMES / parts,
                            .per_page = ND_MEMORY_PER_PAGE,
                            .lent = (double)m.batch,
                            .per_page_at_first = ND_MEMORY_PER_PAGE_AT_FIRST,
                            .base = ND_MEMORY_BASE};
}

void nd_plan_take_method(nd_plan_task *task, const nd_job_options *options) {
    static const uint64_t TOKENS = 1
                                   << 20; /* of a long page, whose payload is all but its tokens' */
    const nd_content_choice *content = &options->content;
    const nd_method *method = options->method;
    const nd_method_options *own = &options->method_options;
    const double none = (double)nd_method_payload_size(method, own, 0);
    const double full = (double)nd_method_payload_size(method, own, TOKENS);
    const nd_plan_kind kind = nd_plan_kind_of(method->name);
    task->leaders = options->transitivity != ND_TRANSITIVITY_VERIFIED;
    task->chained = options->transitivity == ND_TRANSITIVITY_FULL;
    task->kind = kind != ND_PLAN_LCS || !task->leaders ? kind
                 : task->chained                       ? ND_PLAN_PKU
                                                       : ND_PLAN_STAR;
    task->whole = !content->navigation && !content->links && content->sample == 0;
    task->set_cap = (double)options->set_cap;
    task->neighbours = fmax(ND_GROUP_NEIGHBOURS, (double)options->group_pairs / 2);
    task->record = (double)nd_digest_record_size(options);
    task->payload = none;
    task->payload_token = (full - none) / (double)TOKENS;
}

void nd_plan_take_options(nd_plan_task *task, const nd_job_options *options,
                          const nd_input_list *inputs) {
    double all = 0;
    double asking = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        const nd_input *input = &inputs->inputs[i];
        const double bytes = (double)input->is.bytes;
        all += bytes;
        asking +=
            options->contained_query == NULL ||
                    strcmp(options->contained_query, inputs->collections[input->collection]) == 0
                ? bytes
                : 0;
    }
    nd_plan_take_method(task, options);
    task->checkpoints = options->work != NULL;
    task->local_tmp = options->local_tmp != NULL;
    task->keeps_pairs = options->keep_pairs;
    task->asking = options->contained > 0 && all > 0 ? asking / all : 0;
}

void nd_plan_take_sample(nd_plan_task *task, const nd_input_sample *sample) {
    task->pages = fmax(1, round(sample->pages));
    task->page_bytes = sample->page_bytes;
    task->input_bytes = sample->bytes / task->pages;
    task->tokens = sample->tokens;
    task->text_bytes = sample->text_bytes;
    task->name_bytes = sample->name_bytes;
}

int nd_plan_nodes(const nd_comm *comm) {
    return (int)nd_comm_sum(comm, nd_comm_leads_node(comm));
}

/* Not collective. \param[in] needed  estimate, in bytes */
static nd_space plan_space(double needed, double free_bytes) {
    return needed * ND_PLAN_LEAST > free_bytes  ? ND_SPACE_TOO_LITTLE
           : needed * ND_PLAN_MOST > free_bytes ? ND_SPACE_DOUBTFUL
                                                : ND_SPACE_ENOUGH;
}

/* ---- the check */

enum { FOLDER_SIZE = 4096 };

static nd_status free_bytes_of(const char *path, double *bytes) {
    nd_status st = ND_OK;
    nd_work_folder folder = {0};
    uint64_t free_bytes = 0;
    ND_TRY(nd_work_folder_open(&folder, path));
    ND_TRY(nd_work_folder_free_bytes(&folder, &free_bytes));
    *bytes = (double)free_bytes;
out:
    nd_work_folder_close(&folder);
    return st;
}

static nd_status check_free(const char *folder, const char *what, double needed,
                            double free_bytes) {
    const nd_space space = plan_space(needed, free_bytes);
    if (space == ND_SPACE_TOO_LITTLE) {
        return nd_fail(ND_ERR_LIMIT,
                       "%s: too little space: %s will take about %.1f GB, at least %.1f GB, and "
                       "%.1f GB are free (--no-disk-check tries nevertheless)",
                       folder, what, needed / 1e9, needed * ND_PLAN_LEAST / 1e9, free_bytes / 1e9);
    }
    if (space == ND_SPACE_DOUBTFUL) {
        nd_print_line(stderr,
                      "neardup: warning: %s: space may become short: %s will take about %.1f GB, "
                      "up to %.1f GB, and %.1f GB are free",
                      folder, what, needed / 1e9, needed * ND_PLAN_MOST / 1e9, free_bytes / 1e9);
    }
    return ND_OK;
}

static nd_status check_folder(const char *folder, const char *what, double needed) {
    double free_bytes = 0;
    return free_bytes_of(folder, &free_bytes) == ND_OK
               ? check_free(folder, what, needed, free_bytes)
               : ND_OK;
}

/* Collective. What is free on the disk of the node that has least. */
static nd_status local_free_bytes(const nd_job *job, double *bytes) {
    double own = 0;
    const nd_status st = free_bytes_of(job->options.local_tmp, &own);
    *bytes = (double)nd_comm_min(&job->comm, (uint64_t)own);
    return nd_comm_agree(&job->comm, st);
}

nd_status nd_job_check_space(const nd_job *job) {
    static const double MOST_GROWTH = 64;
    nd_status st = ND_OK;
    const nd_job_options *o = &job->options;
    char output[FOLDER_SIZE];
    struct stat of_work;
    struct stat of_output;
    double work_free = 0;
    double output_free = 0;
    double inputs = 0;
    nd_input_sample sample;
    nd_plan_task task = nd_plan_usual_machine();
    double local_free = HUGE_VAL;
    const int nodes = o->local_tmp != NULL ? nd_plan_nodes(&job->comm) : 1;
    if (o->local_tmp != NULL) {
        st = local_free_bytes(job, &local_free);
    }
    if (st != ND_OK) {
        return st;
    }
    if (job->comm.rank != 0 || o->no_disk_check || o->output == NULL ||
        nd_checkpoint_stage(&job->checkpoint) != NULL || job->state->index.pages > 0) {
        goto out;
    }
    nd_own_file_folder(o->output, output, sizeof output);
    const char *work = o->work != NULL ? o->work : output;
    for (size_t i = 0; i < job->inputs.count; i++) {
        inputs += (double)job->inputs.inputs[i].is.bytes;
    }
    ND_TRY(free_bytes_of(work, &work_free));
    ND_TRY(free_bytes_of(output, &output_free));
    if (inputs * MOST_GROWTH < fmin(fmin(work_free, output_free), local_free)) {
        goto out; /* even when they unpack very well they leave most of the disk free */
    }
    ND_TRY(nd_input_sample_take(&job->inputs, &o->reader, !o->content.navigation, &sample));
    if (sample.sampled == 0) {
        goto out;
    }
    nd_plan_take_sample(&task, &sample);
    task.ranks = job->comm.size;
    task.nodes = nodes; /* but for their own disks it counts for time alone */
    task.memory = nd_plan_memory_shares(o->memory.total);
    nd_plan_take_options(&task, o, &job->inputs);
    const nd_plan_rates rates = nd_plan_rates_of(task.kind, task.whole);
    const nd_plan plan = nd_plan_make(&task, &rates);
    if (stat(work, &of_work) == 0 && stat(output, &of_output) == 0 &&
        of_work.st_dev == of_output.st_dev) {
        /* the result is written while what the last stage keeps is still there */
        const double end = plan.parts[ND_PLAN_WRITE].disk_bytes + plan.result_bytes;
        ND_TRY(check_folder(
            work, plan.disk_bytes > 0 ? "checkpoints, spill files and the result" : "the result",
            fmax(plan.disk_bytes, end)));
    } else {
        ND_TRY(check_folder(work, "checkpoints and spill files", plan.disk_bytes));
        ND_TRY(check_folder(output, "the result", plan.result_bytes));
    }
    if (o->local_tmp != NULL) {
        st =
            check_free(o->local_tmp, "spill files on a node", plan.local_bytes / nodes, local_free);
    }
out:
    return nd_comm_agree(&job->comm, st);
}
