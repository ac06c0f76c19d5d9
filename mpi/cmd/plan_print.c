#include "mpi/cmd/plan_print.h"

#include "mpi/cmd/json_fields.h"

#include <math.h>
#include <stdio.h>

enum { TEXT_SIZE = 32 };

/* A number of bytes, or of seconds, with the unit that fits; texts of one call to printf need
 * buffers of their own. */
static const char *bytes_text(double bytes, char text[TEXT_SIZE]) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1000;
        unit++;
    }
    (void)snprintf(text, TEXT_SIZE, "%.*f %s", bytes < 9.95 && unit > 0 ? 1 : 0, bytes,
                   units[unit]);
    return text;
}

static const char *time_text(double seconds, char text[TEXT_SIZE]) {
    if (seconds < 100) {
        (void)snprintf(text, TEXT_SIZE, "%.1f s", seconds);
    } else if (seconds < 6000) {
        (void)snprintf(text, TEXT_SIZE, "%.0f min", seconds / 60);
    } else {
        (void)snprintf(text, TEXT_SIZE, "%.1f h", seconds / 3600);
    }
    return text;
}

void nd_plan_print_sample(const nd_input_sample *sample) {
    char bytes[TEXT_SIZE];
    (void)printf("inputs   %.0f files, %s:", sample->files, bytes_text(sample->bytes, bytes));
    for (size_t i = 0; i < sample->kind_count; i++) {
        (void)printf(" %s", sample->kinds[i]);
    }
    (void)printf("\n         about %.0f pages (+-%.0f %%), from %.0f looked at: %.0f bytes of HTML "
                 "and %.0f tokens each\n",
                 sample->pages, 200 * sample->spread, sample->sampled, sample->page_bytes,
                 sample->tokens);
}

/* Memory as --memory takes it, rounded up to whole MiB. */
static double mebibytes(double bytes) {
    return ceil(bytes / (1 << 20));
}

static bool is_refused(const nd_plan_task *task, const nd_plan *plan) {
    return plan->smallest_memory > task->memory.total;
}

static void print_part(const char *name, const nd_plan_part *p) {
    char texts[9][TEXT_SIZE];
    (void)printf("%-8s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", name,
                 time_text(p->seconds, texts[0]), time_text(p->cpu, texts[1]),
                 time_text(p->network, texts[2]), time_text(p->disk, texts[3]),
                 bytes_text(p->sent, texts[4]), bytes_text(p->written, texts[5]),
                 bytes_text(p->read, texts[6]), bytes_text(p->memory, texts[7]),
                 bytes_text(p->disk_bytes, texts[8]));
}

/* Whose memory a plan is made for. */
static const char *memory_of(bool given) {
    return given ? "as --memory says"
                 : "four fifths of this machine's, shared by the ranks of a node; --memory for "
                   "another";
}

/* The last line of a plan: will partition take the run, and go to its end? */
static void print_verdict(const nd_plan_task *task, const nd_plan *plan) {
    char disk[TEXT_SIZE];
    if (is_refused(task, plan)) {
        (void)printf("runs     no: %.0fM is too little for a rank, and partition refuses it: give "
                     "--memory %.0fM, or more ranks\n",
                     floor(task->memory.total / (1 << 20)), mebibytes(plan->smallest_memory));
    } else if (plan->memory > task->memory.total) {
        (void)printf("runs     perhaps: a rank will hold more than its memory: give more, or more "
                     "ranks\n");
    } else if (plan->disk_bytes > 0 || plan->local_bytes > 0) {
        (void)printf("runs     yes, if %s are free for the %s folder",
                     bytes_text(plan->disk_bytes, disk), task->checkpoints ? "work" : "spill");
        if (task->local_tmp) {
            (void)printf(", and %s on each node's own disk",
                         bytes_text(plan->local_bytes / task->nodes, disk));
        }
        (void)puts("");
    } else {
        (void)printf("runs     yes\n");
    }
}

void nd_plan_print(const nd_plan_task *task, const nd_plan *plan, bool given) {
    char texts[5][TEXT_SIZE];
    nd_plan_part total = {.seconds = plan->seconds,
                          .sent = plan->sent,
                          .written = plan->written,
                          .read = plan->read,
                          .memory = plan->memory,
                          .disk_bytes = plan->disk_bytes};
    (void)printf("plan     %.0f pages on %.0f nodes, %.0f ranks with %s each, %s\n\n", task->pages,
                 task->nodes, task->ranks, bytes_text(task->memory.total, texts[4]),
                 task->checkpoints ? "with checkpoints" : "without checkpoints");
    (void)printf(
        "                                                a rank's                      "
        "        of all:\n"
        "stage         time       cpu   network      disk      sent   written      read    "
        "memory  on disk\n");
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        if (!nd_plan_has(task, (nd_plan_stage)i)) {
            continue;
        }
        print_part(nd_plan_stage_names[i], &plan->parts[i]);
        total.cpu += plan->parts[i].cpu;
        total.network += plan->parts[i].network;
        total.disk += plan->parts[i].disk;
    }
    print_part("all", &total);
    (void)puts("");
    (void)printf("rates    %s, as measured with made-up pages%s\n",
                 nd_plan_kind_options[task->kind],
                 task->leaders && task->kind != ND_PLAN_PKU && task->kind != ND_PLAN_STAR
                     ? "; of leaders, those of --preset pku"
                     : "");
    (void)printf("pairs    ");
    if (!task->chained) {
        (void)printf("%.3g candidates, ", plan->candidates);
    }
    (void)printf("%.3g within the bounds, %.3g similar\n", plan->pairs, plan->links);
    (void)printf("disk     %s in the %s at most (%s); result file %s\n",
                 bytes_text(plan->disk_bytes, texts[0]),
                 task->checkpoints ? "work folder" : "spill folder",
                 plan->disk_bytes > 0 ? nd_plan_stage_names[plan->disk_stage] : "nothing spills",
                 bytes_text(plan->result_bytes, texts[1]));
    if (task->local_tmp) {
        (void)printf("local    %s on a node's own disk at most\n",
                     bytes_text(plan->local_bytes / task->nodes, texts[0]));
    }
    (void)printf("memory   %s of a rank's %s at most (%s);\n         the smallest --memory that is "
                 "taken: %.0fM\n",
                 bytes_text(plan->memory, texts[2]), bytes_text(task->memory.total, texts[3]),
                 memory_of(given), mebibytes(plan->smallest_memory));
    (void)printf("time     %.2f hours, %.0f pages per second; of a stage: its cpu or its disk, "
                 "whichever is longer, and its network\n",
                 plan->seconds / 3600, task->pages / plan->seconds);
    print_verdict(task, plan);
}

void nd_plan_print_machines(const nd_plan_task *tasks, const nd_plan *plans, size_t count,
                            bool given) {
    (void)printf(
        "%.0f pages, %s, %s; memory: %s\n\n", tasks[0].pages, nd_plan_kind_options[tasks[0].kind],
        tasks[0].checkpoints ? "with checkpoints" : "without checkpoints", memory_of(given));
    (void)printf(
        "nodes  ranks    memory  smallest      time      sent   written      read   on disk"
        "    result  runs\n");
    for (size_t i = 0; i < count; i++) {
        char texts[7][TEXT_SIZE];
        (void)printf("%5.0f  %5.0f %9s %8.0fM %9s %9s %9s %9s %9s %9s  %s\n", tasks[i].nodes,
                     tasks[i].ranks, bytes_text(tasks[i].memory.total, texts[0]),
                     mebibytes(plans[i].smallest_memory), time_text(plans[i].seconds, texts[1]),
                     bytes_text(plans[i].sent, texts[2]), bytes_text(plans[i].written, texts[3]),
                     bytes_text(plans[i].read, texts[4]), bytes_text(plans[i].disk_bytes, texts[5]),
                     bytes_text(plans[i].result_bytes, texts[6]),
                     is_refused(&tasks[i], &plans[i])          ? "no: too little memory"
                     : plans[i].memory > tasks[i].memory.total ? "perhaps: little memory"
                                                               : "yes");
    }
    (void)puts(
        "\nmemory, sent, written, read: of a rank; on disk: in the work folder at most. "
        "partition refuses\na run with less than the smallest memory. --nodes and --ranks-per-node "
        "show its stages.");
}

/* ---- as JSON */

static json_object *number(double value) {
    return nd_json_real(value, 10);
}

static json_object *plan_object(const nd_plan_task *task, const nd_plan *plan) {
    json_object *object =
        ND_JSON({"pages", number(task->pages)}, {"nodes", number(task->nodes)},
                {"ranks", number(task->ranks)}, {"memory", number(task->memory.total)},
                {"rates", nd_json_words(nd_plan_kind_options[task->kind])},
                {"checkpoints", nd_json_flag(task->checkpoints)},
                {"seconds", number(plan->seconds)}, {"hours", number(plan->seconds / 3600)},
                {"candidates", number(plan->candidates)}, {"pairs", number(plan->pairs)},
                {"links", number(plan->links)}, {"memory_per_rank", number(plan->memory)},
                {"smallest_memory", number(plan->smallest_memory)},
                {"refused", nd_json_flag(is_refused(task, plan))},
                {"disk_bytes", number(plan->disk_bytes)});
    if (task->local_tmp) {
        ND_JSON_PUT(object, {"local_bytes", number(plan->local_bytes)});
    }
    ND_JSON_PUT(object, {"disk_stage", nd_json_words(nd_plan_stage_names[plan->disk_stage])},
                {"result_bytes", number(plan->result_bytes)});
    json_object *list = nd_json_add_array(object, "stages");
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        if (!nd_plan_has(task, (nd_plan_stage)i)) {
            continue;
        }
        const nd_plan_part *p = &plan->parts[i];
        json_object *row = nd_json_add_object(list, NULL);
        ND_JSON_PUT(row, {"name", nd_json_words(nd_plan_stage_names[i])},
                    {"seconds", number(p->seconds)}, {"cpu_seconds", number(p->cpu)},
                    {"network_seconds", number(p->network)}, {"disk_seconds", number(p->disk)},
                    {"bytes_sent_per_rank", number(p->sent)},
                    {"bytes_written_per_rank", number(p->written)},
                    {"bytes_read_per_rank", number(p->read)},
                    {"memory_per_rank", number(p->memory)}, {"disk_bytes", number(p->disk_bytes)});
        if (task->local_tmp) {
            ND_JSON_PUT(row, {"local_bytes", number(p->local_bytes)});
        }
    }
    return object;
}

void nd_plan_print_json(const nd_input_sample *sample, const nd_plan_task *tasks,
                        const nd_plan *plans, size_t count) {
    json_object *root = nd_json_new();
    if (sample != NULL) {
        ND_JSON_PUT(
            root,
            {"inputs", ND_JSON({"files", number(sample->files)}, {"bytes", number(sample->bytes)},
                               {"pages", number(sample->pages)},
                               {"standard_error", number(sample->spread * sample->pages)},
                               {"sampled_pages", number(sample->sampled)},
                               {"page_bytes", number(sample->page_bytes)},
                               {"tokens", number(sample->tokens)})});
    }
    json_object *list = nd_json_add_array(root, "plans");
    for (size_t i = 0; i < count; i++) {
        ND_JSON_PUT(list, {NULL, plan_object(&tasks[i], &plans[i])});
    }
    nd_json_print(stdout, &root);
}
