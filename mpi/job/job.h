/** \file mpi/job/job.h
 * The job: what all of a run share, as its options, inputs, folders and totals; and its options as
 * a table and as text. What the stages hand on is opaque here (mpi/stage/state.h); what a run does
 * with it is said in mpi/run/run.h. Invariant: all ranks hold the same options, inputs, units and
 * totals, and each the pages [first[rank], first[rank + 1]).
 */
#ifndef ND_JOB_JOB_H
#define ND_JOB_JOB_H

#include "io/input/input_list.h"
#include "io/input/reader.h"
#include "io/input/reread.h"
#include "io/store/external_sort.h"
#include "io/store/output_file.h"
#include "io/store/spool.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/exchange.h"
#include "mpi/job/checkpoint.h"
#include "mpi/job/inputs.h"
#include "mpi/job/progress.h"
#include "src/base/option.h"
#include "src/base/sort.h"
#include "src/method/method.h"
#include "src/sets/template.h"

#include <stdint.h>

/* ---- A rank's memory and how it is shared out: what the stages may hold at once so that the whole
 * stays within the bound. Nothing is allocated here. */

/** Bytes. */
typedef struct nd_memory {
    uint64_t total; /**< of a rank, everything included */
    uint64_t store; /**< its pages: ND_MEMORY_PER_PAGE of each, and of their texts and names what
                         fits beside that */
    uint64_t sort;  /**< a sort; up to three are alive at once */
    uint64_t spool; /**< a spool; up to five are alive at once */
    uint64_t batch; /**< pages or pairs that are worked on at once */
    uint64_t round; /**< what is sent at once in an exchange; about four times that is in use */
    uint64_t cached_input; /**< beside the total: if its inputs are longer, the system's cache need
                                not keep what has been read of them; 0: no bound */
} nd_memory;

/** Bytes that stay in memory for each page of a rank, at most, over all stages. */
enum { ND_MEMORY_PER_PAGE = 256 };

/** The same until contents are selected. */
enum { ND_MEMORY_PER_PAGE_AT_FIRST = 192 };

/** Bytes a rank takes before it has any page: the program, MPI and HDF5. */
enum { ND_MEMORY_BASE = 96 << 20 };

/** Not collective. Shares of a rank's memory. */
nd_memory nd_memory_shares(uint64_t total);

/** Not collective. The memory that this process and others may use together on this node: what the
 * machine has, or less if a control group or the Slurm allocation says so; 0 if that is not known.
 */
uint64_t nd_memory_of_node(void);

/** Not collective. The memory that a rank may use: its part of what the node, or the Slurm
 * allocation, gives. \param[in] ranks_on_node  processes that share it */
uint64_t nd_memory_default(int ranks_on_node);

/** Not collective. Freed memory stays with the process, in pieces. Before a step that takes memory
 * as a whole: give it back to the system, if more than half of the bound is resident. */
void nd_memory_give_back(const nd_memory *memory);

/* ---- options and state */

/** How pairs become sets. */
typedef enum nd_transitivity {
    ND_TRANSITIVITY_VERIFIED, /**< components of verified pairs */
    ND_TRANSITIVITY_BOUNDED,  /**< the paper's form over pairs that pass the exact bounds */
    ND_TRANSITIVITY_FULL      /**< the paper's form over shared fingerprints */
} nd_transitivity;

/** What of a page is compared. */
typedef struct nd_content_choice {
    bool navigation; /**< drop navigation elements */
    bool links;      /**< drop short blocks that are mostly links */
    bool by_domain;  /**< a site is a registered domain, not a host */
    uint64_t sample; /**< pages of a site by which its templates are known; 0: keep templates */
    nd_template_options templates;
    uint64_t link_tokens; /**< a page with fewer tokens left gets back the links that its site does
                               not repeat; 0: none does */
} nd_content_choice;

typedef struct nd_job_options {
    nd_content_choice content;
    const nd_method *method;
    nd_method_options method_options;
    uint64_t group_pairs; /**< groups of a key up to this size: all pairs are candidates, at most
                               ND_GROUP_RUN; 0: ND_GROUP_ALL_PAIRS */
    nd_transitivity transitivity;
    double slack;   /**< verified: a set's pages are similar to its leader at the threshold less
                         this; 0: no guard against chains */
    bool own_slack; /**< it was asked for; another makes way for a low threshold */
    double min_confidence;   /**< members less certain to belong leave their sets; 0: none do */
    bool own_min_confidence; /**< it was asked for; another makes way for what it was not measured
                                for */
    bool split_records;      /**< sets that are forms are parted (set_members.h) */
    bool thin_apart;         /**< thin pages are in no set with others, not even with equal texts */
    uint64_t set_cap;        /**< paper's form: most pages of a perhaps-similar set */
    bool keep_pairs;         /**< verified: the result has its verified pairs too */
    double contained; /**< the result says which pages have so much of them in others; 0: not */
    const char *contained_query; /**< of the pages of this collection, in others; NULL: of all */
    nd_memory memory;            /**< how a rank's memory is shared out */
    uint64_t hash_seed; /**< of hashes of texts, all but MD5; 0: it follows from the inputs, and is
                             known once they are listed */
    bool dedup_inputs; /**< an input with the same bytes as another of its collection is left out */
    uint64_t split_size; /**< inputs are cut into units of about this size; 0: chosen */
    nd_reader_options reader;
    nd_progress_mode progress;
    const char *work;          /**< work folder with checkpoints; NULL: none are kept, and what
                                    outgrows memory goes to a folder beside the output */
    const char *local_tmp;     /**< folder on a disk of each node, for what outgrows memory and
                                    outlives no run; NULL: that goes where the rest does */
    bool resume;               /**< go on from the work folder's last checkpoint */
    double checkpoint_seconds; /**< inside ingest and verify, at most so long between checkpoints */
    const char *output;        /**< result file */
    const char *index;        /**< index of earlier runs, whose pages come before the inputs'; NULL:
                                     none */
    bool recluster;           /**< all sets are made anew, those of the index too */
    bool reread;              /**< its inputs are read again: it hands on nothing else */
    const char *write_index;  /**< index that this run leaves; NULL: none */
    bool texts_in_inputs;     /**< that is without the texts of the new pages */
    bool force;               /**< replace what is there under its name, if it is a file at all */
    bool no_disk_check;       /**< start even if the disk is too small */
    const char *command_line; /**< kept in the result */
} nd_job_options;

/** A record that could not be used. */
typedef struct nd_skipped {
    uint64_t source;
    uint64_t offset;
    uint64_t unit;    /**< of the inputs, in which it was met */
    uint64_t reading; /**< which reading of the unit met it: only the last one's count */
    char *reason;
} nd_skipped;

/** Totals of one input file over all ranks. */
typedef struct nd_source_totals {
    uint64_t records, pages, skipped;
    uint64_t others[ND_OTHERS]; /**< records that are no pages, by reason */
    uint64_t failed;            /**< units that could not be opened, or not be read to their end */
    uint64_t blocks; /**< sum of its blocks (io/input/file_window.h); 0: not known, as not all is */
} nd_source_totals;

/** The counts that a result keeps in its attribute `totals`, in this order: X(name). */
#define ND_TOTALS_OF_RESULT(X)                                                                     \
    X(input_bytes)        /* of the input files */                                                 \
    X(page_bytes)         /* of the pages' HTML or text */                                         \
    X(text_bytes)         /* of their texts as they are kept: digests of sentences, tokens */      \
    X(content_bytes)      /* of what is left of the texts after content selection */               \
    X(name_bytes)         /* of ids and URLs */                                                    \
    X(tokens)             /* of the whole texts */                                                 \
    X(content_tokens)     /* of their content */                                                   \
    X(signed_pages)       /* pages with keys */                                                    \
    X(postings)           /* keys */                                                               \
    X(sites)              /* sites with text */                                                    \
    X(template_sentences) /* sentences in their lists */                                           \
    X(candidates)                                                                                  \
    X(candidates_passed) /* pairs in larger groups that were none, as often as they met */         \
    X(pair_finds)        /* pairs within the bounds, as often as they were found */                \
    X(pairs)                                                                                       \
    X(links)                                                                                       \
    X(perhaps_sets)         /* components of pages that share keys, of two and more, ... */        \
    X(perhaps_pages)        /* ... and their pages; of --transitivity full */                      \
    X(left_out)             /* pages that left their sets (--min-confidence) */                    \
    X(contained_candidates) /* pairs that were compared for --contained */                         \
    X(contained_passed)     /* pairs with a common key that were passed over */                    \
    X(revisits)             /* of the records: copies of other captures */

/** All counts of a run: a new one is a row here, or above. */
#define ND_TOTALS(X)                                                                               \
    ND_TOTALS_OF_RESULT(X)                                                                         \
    X(pages)                                                                                       \
    X(pages_without_text)                                                                          \
    X(exact_copies)                                                                                \
    X(records)                                                                                     \
    X(other)                                                                                       \
    X(skipped)                                                                                     \
    X(revisits_alone) /* of the revisits, pages whose capture is not among the pages */            \
    X(revisit_pages)  /* revisits that are pages, of earlier runs too */                           \
    X(sources_unused) /* inputs of which nothing, or not all, could be read */                     \
    X(sources_gaps)   /* others in which bytes were passed over, or a record is cut off */         \
    X(sets)                                                                                        \
    X(largest_set)                                                                                 \
    X(sets_of_many)                                                                                \
    X(content_copies) /* pages whose content, not text, is that of another */                      \
    X(capped_sets)    /* perhaps-similar sets beyond set_cap, before the cut */                    \
    X(capped_largest) /* pages of the largest of them */                                           \
    X(alike_apart)    /* verified pairs of ND_GUARD_ALIKE in two sets */                           \
    X(forms)          /* sets that were forms */                                                   \
    X(form_pages)     /* their pages, copies left out */                                           \
    X(index_pages)    /* of the index, if it is not read again */                                  \
    X(joined_indexed) /* new pages in sets of indexed ones */                                      \
    X(contained)      /* pairs of --contained that are */

/** Counts for the summary; of all ranks once the job is done. */
typedef struct nd_job_totals {
#define ND_TOTAL(name) uint64_t name;
    ND_TOTALS(ND_TOTAL)
#undef ND_TOTAL
} nd_job_totals;

/** Where a page lies, and its id, cut, with ? for all but visible ASCII. */
typedef struct nd_repeated_page {
    uint64_t source, offset;
    char id[64]; /**< made printable; its beginning if it is longer */
} nd_repeated_page;

/** Pages with the id of an earlier page (result_tables.h). */
typedef struct nd_repeated_ids {
    uint64_t repeated;    /**< pages with the id of an earlier one of their collection */
    uint64_t shared;      /**< pages with the id of an earlier one of any collection */
    uint64_t page, first; /**< the first of `repeated`, and the first with its id; none: UINT64_MAX
                               and anything */
    nd_repeated_page at[2]; /**< `first` and `page` */
} nd_repeated_ids;

typedef struct nd_job {
    nd_comm comm;
    nd_job_options options;
    nd_progress progress;
    nd_job_totals totals;

    nd_input_list inputs;            /* the same on all ranks */
    uint64_t input_memory;           /* bytes that they take of a rank's memory until the end */
    nd_source_totals *source_totals; /* per input, over all ranks */
    nd_skipped *skipped;             /* this rank's, in order */
    size_t skipped_count, skipped_capacity;
    uint64_t skipped_named; /* of them, on stderr */

    nd_spool_folder folder; /* of this rank's spools; with options.local_tmp one inside that */
    nd_spool_folder kept;   /* of those that checkpoints keep: the work folder, if there is one */
    const char *shared; /* the folder that all ranks see: the work folder, or beside the output */
    char folder_path[4096]; /* that folder, if options.work has none */
    char local_path[4096];  /* that of options.local_tmp, once it is looked at */
    MPI_Info hints;         /* for the result's file; owned */
    nd_output_lock lock;    /* of the output's name, on rank 0 */
    nd_checkpoint checkpoint;
    nd_units units;  /* how the inputs are cut */
    uint64_t *first; /* page numbers by rank: size + 1 numbers */

    char *additions;         /* with an index: the first pages of all additions to it, as JSON */
    nd_reread_fields fields; /* of JSONL, by which each input is read, or was by an index's run */
    bool index_made;         /* options.write_index is there, under its unfinished name */
    bool own_work;           /* the work folder is this run's own: nobody can resume it */

    nd_repeated_ids repeated_ids; /* set by the last stage */
    bool done; /* the work folder is not needed any more: the result is there, or no page */
    struct nd_state *state; /* what the stages hand on (mpi/stage/state.h); owned */
} nd_job;

/** Bytes of pages that are compared at once, at most. Not collective. */
uint64_t nd_job_compared_bytes(const nd_job *job);

/** Number of this rank's first page. Not collective. */
uint64_t nd_job_own_first(const nd_job *job);

/** Not collective. Open a sort of records, and a stream into it that brings each to its owner's
 * rank: what is sent through the stream lies there, in order, once the sort is finished.
 * \param[out] sorted  in the job's folder for spills, with a sort's memory
 * \param[in] owner    is told the first pages of the ranks, as nd_shuffle_owner_of_item() needs */
nd_shuffle_stream nd_job_sort_at_owners(nd_job *job, nd_external_sort *sorted, size_t record_size,
                                        const nd_record_order *order, nd_owner owner);

/* ---- the options as a table (src/base/option.h) over nd_job_options: those that decide its
 * result, how inputs are read, and how it runs. Those of its method are a table of their
 * own (src/method/method.h). */

extern const nd_option nd_job_option_table[];

/* ---- The options that decide a result as text, and back: what the result file and the work folder
 * keep of a run, so that it can be repeated. How inputs are read is not among them. */

enum { ND_PARAMETERS_SIZE = 2048 };

/** Not collective. The options as one JSON object: of the method's own those that it uses. */
void nd_print_parameters(const nd_job_options *options, char *text, size_t size);

/** Not collective. Set the options that a text of nd_print_parameters() has; the others keep
 * their values, but for those of the method, which are its defaults. \param[in] path  of the file
 * that the text came from, for messages \return ND_OK; ND_ERR_FORMAT if it is no such text, or
 * has a parameter that this program does not know; ND_ERR_USAGE if a value is none */
nd_status nd_read_parameters(const char *path, const char *text, nd_job_options *options);

#endif
