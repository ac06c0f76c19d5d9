#include "src/plan/run_plan.h"

#include "src/plan/plan_records.h"

#include <math.h>
#include <string.h>

/* ==== rates */

const char *const nd_plan_stage_names[ND_PLAN_STAGES] = {
    "ingest", "content", "sign", "block", "verify", "join", "leaders", "contain", "write"};

const char *const nd_plan_kind_options[ND_PLAN_KINDS] = {
    [ND_PLAN_LCS] = "--preset default",
    [ND_PLAN_STAR] = "--sets star",
    [ND_PLAN_PKU] = "--preset pku",
    [ND_PLAN_EXACT] = "--method exact",
    [ND_PLAN_SKETCH] = "--method sketch",
    [ND_PLAN_LSH] = "--method lsh",
    [ND_PLAN_BRODER] = "--method broder",
    [ND_PLAN_SIMHASH] = "--method simhash",
    [ND_PLAN_CHARIKAR] = "--method charikar",
    [ND_PLAN_COSINE] = "--method cosine",
    [ND_PLAN_HENZINGER] = "--method henzinger",
};

nd_plan_kind nd_plan_kind_of(const char *method) {
    for (int i = 0; i < ND_PLAN_KINDS; i++) {
        const char *name = strrchr(nd_plan_kind_options[i], ' ') + 1;
        if (strcmp(name, method) == 0) {
            return (nd_plan_kind)i;
        }
    }
    return strcmp(method, "lcs") == 0 ? ND_PLAN_LCS : ND_PLAN_KINDS;
}

/* Measured on made-up archives of 20,000 and 50,000 pages (a hundred pages a site, a third of the
 * pages copies), in memory on one rank; what is sent and stored, on two with a work folder. Times
 * are those of a quiet virtual machine (Intel Xeon with AVX-512) on which ingest takes what it says
 * here: each run's are scaled by its own ingest. */
static const struct {
    double value, per_doubling; /* as of nd_plan_rates */
} of_pages[ND_RATES] = {
    [ND_RATE_PAGE_BYTES] = {22234, 0},     /* bytes of HTML per page */
    [ND_RATE_INPUT] = {0.383, 0},          /* bytes of input per byte of HTML */
    [ND_RATE_TOKENS] = {0.0793, 0},        /* tokens without navigation per byte of HTML */
    [ND_RATE_WHOLE] = {1.24, 0},           /* tokens with navigation per one without */
    [ND_RATE_TEXT] = {6.29, 0},            /* bytes of kept text per token */
    [ND_RATE_PACKED] = {0.17, 0},          /* bytes of packed text per byte of text, at least */
    [ND_RATE_NAMES] = {73.7, 0},           /* bytes of id and URL per page */
    [ND_RATE_CONTENT] = {0.69, 0},         /* bytes of content per byte of text */
    [ND_RATE_CONTENT_TOKENS] = {0.752, 0}, /* tokens of content per token */
    [ND_RATE_FRAGMENTS] = {0.746, 0},      /* fragments of sampled sentences per KB of text */
    [ND_RATE_DIGEST] = {156, 0},           /* bytes of a digest as it is kept, if not less */
    [ND_RATE_GROUPED] = {0.58, 0},         /* keys that another page has too per key */
    /* of the archive of 20,000 pages, with --contained .8, while other programs ran */
    [ND_RATE_CONTAIN_KEYS] = {76.3, 0},  /* keys sent to find what contains a page */
    [ND_RATE_CONTAIN_PAIRS] = {4.05, 0}, /* pairs that are compared for that, per page */
    [ND_RATE_SIGN_SENT] = {3.2, 0},      /* bytes sent besides keys and hashes per page */
    /* the meetings to block are of earlier runs, those to verify of
     * archives of 50,000 and 100,000 pages on 1 and on 2 ranks, in 6 to 188 batches */
    [ND_RATE_BLOCK_PAGES] = {0.974, 0.0189}, /* signed pages with candidates */
    [ND_RATE_BLOCK_MEETINGS] = {2.3, 0},     /* pages whose groups such a page is met in */
    [ND_RATE_VERIFY_PAGES] = {0.93, 0},      /* signed pages with pairs */
    [ND_RATE_VERIFY_MEETINGS] = {1.1, 0.01}, /* runs of pairs that such a page is met in */
    [ND_RATE_CHAINED] = {0.565, 0},          /* links in the chains of a key's pages, per key */
    [ND_RATE_JOIN_PAGES] = {0.0588, 0.001},  /* pages fetched to join per link */
    [ND_RATE_NAME_COLUMNS] = {0.233, 0},     /* bytes of the result per byte of names */
    [ND_RATE_LARGEST] = {0.3, 0},     /* pages in the largest perhaps-similar set per page in any */
    [ND_RATE_INGEST_TIME] = {1.2, 0}, /* microseconds per KB of HTML, besides */
    [ND_RATE_TEXT_TIME] = {7.4, 0},   /* those per KB of text, */
    [ND_RATE_PACK_TIME] = {3.5, 0},   /* to pack it, */
    [ND_RATE_UNPACK_TIME] = {2, 0},   /* and to read it again */
    [ND_RATE_CONTENT_TIME] = {4.4, 0}, /* microseconds per KB of text */
    [ND_RATE_CONTAIN_TIME] = {376, 0}, /* microseconds per 1,000 tokens of content */
    [ND_RATE_WRITE_TIME] = {2.5, 0},   /* microseconds per page */
};

/* Where pages are compared whole. */
static const struct {
    nd_rate rate;
    double value;
} of_whole_pages[] = {
    {ND_RATE_CONTENT, 1},   {ND_RATE_CONTENT_TOKENS, 1},  {ND_RATE_FRAGMENTS, 0},
    {ND_RATE_PACKED, 0.13}, {ND_RATE_CONTENT_TIME, 0.54}, {ND_RATE_TEXT, 6.56},
};

/* What depends on the kind of job, a column for each in the order of nd_plan_kind: default, star,
 * pku, exact, sketch, lsh, broder, simhash, charikar, cosine, henzinger. */
static const struct {
    nd_rate rate;
    double value[ND_PLAN_KINDS], per_doubling[ND_PLAN_KINDS];
} of_kinds[] = {
    /* pages with keys per page */
    {.rate = ND_RATE_SIGNED,
     .value = {0.745, 0.745, 0.909, 0.706, 0.706, 0.706, 0.716, 0.706, 0.716, 0.712, 0.716},
     .per_doubling = {0, 0, -0.00803, -0.00398, -0.00398, -0.00398, -0.00651, -0.00398, -0.00651,
                      -0.00418, -0.00651}},
    /* keys per signed page */
    {.rate = ND_RATE_POSTINGS, .value = {25.9, 25.9, 7, 1, 20, 25, 15, 20, 12, 16.3, 15}},
    /* pages in perhaps-similar sets per signed page */
    {.rate = ND_RATE_PERHAPS,
     .value = {0.921, 0.771, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921, 0.921}},
    /* candidate pairs per signed page */
    {.rate = ND_RATE_CANDIDATES,
     .value = {68.5, 68.5, 0, 0, 40.2, 47.6, 12.8, 120, 76.5, 270, 12.8},
     .per_doubling = {2.93, 2.93, 0, 0, 2.16, 2.49, 1.5, 17, 10.8, 32.3, 1.5}},
    /* pairs within the bounds per signed page */
    {.rate = ND_RATE_PAIRS,
     .value = {6.95, 6.95, 305, 0, 2.12, 5.01, 3.45, 11.5, 5.56, 26.9, 2.32},
     .per_doubling = {0.43, 0.43, 32.8, 0, 0.168, 0.278, 0.446, 1.58, 0.772, 3.34, 0.295}},
    /* times that such a pair is found */
    {.rate = ND_RATE_FINDS,
     .value = {10, 10, 0, 0, 13.2, 9.22, 4.26, 8.33, 6.73, 9.28, 5.16},
     .per_doubling = {-0.25, -0.25}},
    /* similar pairs per pair */
    {.rate = ND_RATE_LINKS, .value = {0.745, 0.105, 0.00428, 0, 0.996, 0.838, 1, 1, 1, 0.791, 1}},
    /* bytes sent to write per page */
    {.rate = ND_RATE_WRITE_SENT,
     .value = {128, 128, 115, 88.9, 107, 116, 102, 113, 104, 120, 98.9}},
    /* bytes of the result per page, without names */
    {.rate = ND_RATE_COLUMNS,
     .value = {37.9, 38.7, 29.9, 31.4, 34.5, 36.4, 34.2, 33.4, 34.3, 36.4, 33.8}},
    /* microseconds per key, times the logarithm of the keys */
    {.rate = ND_RATE_SIGN_TIME,
     .value = {0.024, 0.0242, 0.189, 0.0647, 0.0533, 0.0399, 0.0629, 0.111, 0.172, 0.0705, 0.305}},
    /* microseconds per candidate; of chains, per key */
    {.rate = ND_RATE_BLOCK_TIME,
     .value = {0.14, 0.15, 0.143, 0, 0.0757, 0.247, 0.106, 0.0807, 0.0982, 0.135, 0.16}},
    /* microseconds per pair and 1,000 tokens */
    {.rate = ND_RATE_VERIFY_TIME,
     .value = {13.5, 0, 0, 0, 8.31, 5.5, 0.109, 0.0865, 0.107, 8.5, 0.165}},
    /* microseconds per link */
    {.rate = ND_RATE_JOIN_TIME,
     .value = {2.43, 0, 0, 0, 9.35, 2.1, 0.575, 0.455, 0.562, 2.39, 0.842}},
    /* microseconds per pair and 1,000 tokens */
    {.rate = ND_RATE_LEADERS_TIME,
     .value = {2.47, 4.25, 2.47, 2.47, 2.47, 2.47, 2.47, 2.47, 2.47, 2.47, 2.47}},
};

/* What shorter pages have more of, or less: of default and star alone. Measured on archives of
 * 50,000 pages with 440 to 2,520 tokens; the rates of these two, on up to 10 million pages, too. */
static const struct {
    nd_rate rate;
    double per_halving;
} of_short_pages[] = {
    {ND_RATE_SIGNED, 0.0223}, {ND_RATE_POSTINGS, -2.03}, {ND_RATE_CANDIDATES, -4.26},
    {ND_RATE_PAIRS, 0.283},   {ND_RATE_FINDS, -1.62},    {ND_RATE_LINKS, -0.0327},
};

nd_plan_rates nd_plan_rates_of(nd_plan_kind kind, bool whole) {
    nd_plan_rates rates = {0};
    for (int i = 0; i < ND_RATES; i++) {
        rates.value[i] = of_pages[i].value;
        rates.per_doubling[i] = of_pages[i].per_doubling;
    }
    for (size_t i = 0; whole && i < sizeof of_whole_pages / sizeof of_whole_pages[0]; i++) {
        rates.value[of_whole_pages[i].rate] = of_whole_pages[i].value;
    }
    for (size_t i = 0; i < sizeof of_kinds / sizeof of_kinds[0]; i++) {
        rates.value[of_kinds[i].rate] = of_kinds[i].value[kind];
        rates.per_doubling[of_kinds[i].rate] = of_kinds[i].per_doubling[kind];
    }
    const bool by_length = kind == ND_PLAN_LCS || kind == ND_PLAN_STAR;
    for (size_t i = 0; by_length && i < sizeof of_short_pages / sizeof of_short_pages[0]; i++) {
        rates.per_halving[of_short_pages[i].rate] = of_short_pages[i].per_halving;
    }
    return rates;
}

static double doublings(double pages) {
    return log2((pages > 1 ? pages : 1) / ND_RATE_PAGES);
}

static double rate_at(const nd_plan_rates *rates, nd_rate rate, double pages, double halvings) {
    const double value = rates->value[rate] + rates->per_doubling[rate] * doublings(pages) +
                         rates->per_halving[rate] * halvings;
    const bool share = rate == ND_RATE_SIGNED || rate == ND_RATE_CONTENT ||
                       rate == ND_RATE_BLOCK_PAGES || rate == ND_RATE_LINKS ||
                       rate == ND_RATE_CONTENT_TOKENS || rate == ND_RATE_PACKED;
    return value < 0 ? 0 : share && value > 1 ? 1 : value;
}

double nd_plan_rate(const nd_plan_rates *rates, nd_rate rate, double pages) {
    return rate_at(rates, rate, pages, 0);
}

double nd_plan_fetches(double pages, double meetings, double lots) {
    return pages * lots * -expm1(-meetings / lots);
}

/* Pairs that leave the lots of block in all if each is found `finds / pairs` times: a lot lets a
 * pair go once, and most finds of a pair fall in one lot, since groups that are alike are worked on
 * together. */
static double plan_finds(double pairs, double finds, double lots) {
    const double apart = 0.28; /* of a pair's finds, those under another page: as measured */
    return pairs > 0 ? fmax(pairs, nd_plan_fetches(pairs, apart * finds / pairs, lots)) : 0;
}

double nd_plan_block_lots(double candidates, double record, double ranks, double batch_bytes) {
    static const double MOST = 1 << 20; /* candidates of a batch, whatever the memory */
    const double each = 2 * record + 2 * ND_PLAN_CANDIDATE + ND_PLAN_FIND + ND_PLAN_ASK;
    const double room = batch_bytes > 0 ? fmin(batch_bytes / each, MOST) : MOST;
    return ranks * fmax(1, candidates / ranks / room);
}

static double plan_verify_lots(double pairs, double payload, double ranks, double batch_bytes) {
    /* a page that comes again right away is counted once */
    const double each = ND_PLAN_PAIR + 1.5 * payload;
    const double by_payload = batch_bytes / each;
    const double by_pairs = batch_bytes / ND_PLAN_PAIR / 8;
    const double room = batch_bytes > 0 ? fmin(by_payload, by_pairs) : INFINITY;
    return ranks * fmax(1, pairs / ranks / room);
}

/* Bytes sent to find pages inside of others, if all ask: by so many keys, comparing so many pairs.
 * \param[in] payload  bytes of a page that is compared */
static double plan_contain_sent(double keys, double pairs, double payload) {
    const double hits = 1.1;     /* of a key, */
    const double fetched = 0.86; /* and pages fetched for a pair: both as measured */
    return keys * (ND_PLAN_CONTAIN_KEY + hits * ND_PLAN_CONTAIN_HIT) +
           pairs * (ND_PLAN_CONTAIN_PAIR + fetched * payload);
}

/* Work of sorting: records times their logarithm. */
static double plan_sort_work(double records) {
    return records * log2(records > 2 ? records : 2);
}

/* ==== plans */

/* Resident bytes of a rank without pages, as measured: less than is counted for the bound. */
static const double RESIDENT_BASE = 27e6;

/* Bytes of a rank's pages that lie in a spool of their own. */
typedef struct kept_bytes {
    double bytes;
    double room; /* most that is in memory while they are written */
    bool saved;  /* a checkpoint has all of them in a file afterwards */
} kept_bytes;

/* Sizes of a run, of one rank. */
typedef struct sizes {
    const nd_plan_task *task;
    const nd_plan_rates *rates;
    double halvings; /* of tokens, from the rates' pages to these; of longer ones none */
    double ranks;
    double pages, text;                        /* text: bytes of tokens and sentences */
    double page_bytes, input_bytes;            /* of all pages of a rank */
    double tokens;                             /* of a page's content */
    double plain, plain_content, plain_tokens; /* bytes of texts as they are: of the whole, of what
                                                  is compared, and of its tokens */
    kept_bytes packed, names, digests, keys;   /* keys: as they wait to be sent */
    double masks;                              /* bytes, of packed texts */
    double cache_room, packer; /* bytes for packed texts that are in files, and to pack them; */
    double cache_at_first;     /* until contents are selected */
    double made; /* pages whose keys and digests are made while contents are selected; copies of
                    contents are among them */
    double signed_pages, postings, grouped, candidates, pairs, finds, links;
    double record, payload, digest; /* bytes of a page: see nd_plan_task; as a digest is kept */
    double chained;                 /* links between pages of a group, where those make the sets */
    double kept;                    /* bytes in the work folder between the stages */
} sizes;

static double rate_of(const sizes *s, nd_rate rate) {
    return rate_at(s->rates, rate, s->task->pages, s->halvings);
}

static double given(double value, double otherwise) {
    return value > 0 ? value : otherwise;
}

static kept_bytes keep(double bytes, double room, bool saved) {
    return (kept_bytes){.bytes = bytes, .room = room, .saved = saved};
}

static double beyond(double bytes, double room) {
    return fmax(0, bytes - room);
}

static double in_file(const kept_bytes *k) {
    return k->saved ? k->bytes : beyond(k->bytes, k->room);
}

static double in_memory(const kept_bytes *k) {
    return k->bytes - in_file(k);
}

/* Of what is read here and there, the part that comes from the file. */
static double from_file(const kept_bytes *k, double read) {
    return k->bytes > 0 ? read * in_file(k) / k->bytes : 0;
}

/* Bytes in memory of packed texts that are in files, where there is so much room for them. */
static double cached(const sizes *s, double cache) {
    return fmin(in_file(&s->packed), cache);
}

/* Of packed texts in files, what is read when all are gone through once more, in order: blocks stay
 * in memory, and those that come again first are the first to go. Of those that fit, too, some were
 * not kept, as two may have one place: half, as measured, where they just fit. */
static double packed_again(const sizes *s, double cache) {
    const double file = in_file(&s->packed);
    const double filled = cache > 0 ? fmin(file / cache, 1) : 1;
    return fmax(file / 2 * filled, fmin(file, 2 * (file - cached(s, cache))));
}

/* The same for so many pages in so many lots, each in order. A page lies in some blocks, and in
 * others are sentences that it names; some of them are in memory, more of kept files, where those
 * that are common are there first. */
static double packed_pages(const sizes *s, double pages, double lots) {
    const bool kept = s->packed.saved;
    const double blocks = kept ? 2 : 2.6; /* here and below: as measured */
    const double file = in_file(&s->packed);
    const double held = file > 0 ? cached(s, s->cache_room) / file : 1;
    const double missed = kept ? pow(1 - held, 1.5) : 1 - held;
    const double again = packed_again(s, s->cache_room);
    return fmin(pages * blocks * ND_PLAN_BLOCK_BYTES * missed + again * held, lots * again);
}

/* Microseconds to unpack so many pages, each as often as it is counted. */
static double unpacking(const sizes *s, double pages) {
    const double packed = s->pages > 0 ? (s->text - s->plain) / s->pages : 0;
    return rate_of(s, ND_RATE_UNPACK_TIME) * pages * packed / 1e3;
}

/* The same, time and bytes, of pages that are fetched to be compared: some methods compare digests
 * alone. */
static bool fetches_texts(const sizes *s) {
    return s->task->payload_token > 0 || s->task->payload == 0;
}

static double unpacking_fetched(const sizes *s, double pages) {
    return fetches_texts(s) ? unpacking(s, pages) : 0;
}

static double packed_fetched(const sizes *s, double pages, double lots) {
    return fetches_texts(s) ? packed_pages(s, pages, lots) : 0;
}

/* Before they are saved. */
static double while_written(const kept_bytes *k) {
    return fmin(k->bytes, k->room);
}

/* Texts as they are packed, where sentences are named that lie up to a window before: the further
 * they outgrow that, the fewer of them are. In files that are kept, common sentences are, too. All
 * as measured. */
static double packed_bytes(double text, double rate, double window, bool kept) {
    static const double MOST = 0.58;           /* of the text, where none are */
    static const double LEARNT = 0.1;          /* of the text more, until words have codes, */
    static const double MOST_LEARNT = 7e5;     /* and so many bytes: as measured */
    const double lost = kept ? 0.0435 : 0.048; /* of it, for each doubling */
    const double shorter = kept ? 1 : 1.5;     /* than its memory is the window */
    const double beyond_window = fmax(0, log2(shorter * text * rate / window));
    const double learnt = fmin(LEARNT * text, MOST_LEARNT);
    return learnt + text * fmin(MOST, rate + lost * beyond_window);
}

/* The table by which texts are packed, which doubles as they do. */
static double packer_bytes(double packed, double most) {
    static const double FIRST = 8192; /* sets, at least, if there is memory for as many */
    static const double FILLED = 2.5; /* sentences of a set before it doubles */
    static const double EVERY = 63;   /* bytes of packed text for a sentence: as measured */
    const double all = most / ND_PLAN_PLACES;
    double sets = all / exp2(fmax(0, floor(log2(all / FIRST))));
    while (sets * FILLED * EVERY < packed && sets < all) {
        sets *= 2;
    }
    return packed > 0 ? sets * ND_PLAN_PLACES : 0;
}

static void size_run(sizes *s) {
    const nd_plan_task *t = s->task;
    const nd_plan_memory *m = &t->memory;
    const double page_bytes = given(t->page_bytes, rate_of(s, ND_RATE_PAGE_BYTES));
    const double tokens = given(t->tokens, rate_of(s, ND_RATE_TOKENS) * page_bytes *
                                               (t->whole ? rate_of(s, ND_RATE_WHOLE) : 1));
    const double names = given(t->name_bytes, rate_of(s, ND_RATE_NAMES));
    const double measured = rate_of(s, ND_RATE_TOKENS) * rate_of(s, ND_RATE_PAGE_BYTES);
    s->halvings =
        fmax(0, log2(measured / (t->whole ? tokens / rate_of(s, ND_RATE_WHOLE) : tokens)));
    s->ranks = t->ranks;
    s->pages = t->pages / t->ranks;
    s->page_bytes = s->pages * page_bytes;
    s->input_bytes = s->pages * given(t->input_bytes, rate_of(s, ND_RATE_INPUT) * page_bytes);
    s->text = s->pages * given(t->text_bytes, rate_of(s, ND_RATE_TEXT) * tokens);
    s->tokens = tokens * rate_of(s, ND_RATE_CONTENT_TOKENS);

    const double at_first = m->store + m->lent;
    const double room = fmax(m->store - s->pages * m->per_page, m->store / 8);
    const double room_at_first = fmax(at_first - s->pages * m->per_page_at_first, at_first / 8);
    const double content = s->text * rate_of(s, ND_RATE_CONTENT);
    const double token_bytes = fmin(s->pages * ND_PLAN_TOKEN * tokens, s->text);
    const double content_bytes = fmin(s->pages * ND_PLAN_TOKEN * s->tokens, content);
    const double plain_room = t->checkpoints ? 0 : room * m->plain_share;
    const double plain = s->text > plain_room ? plain_room / s->text : 1; /* share of the texts */
    s->plain = s->text * plain;
    s->plain_content = content * plain;
    s->plain_tokens = content_bytes * plain;
    const double read_share = t->checkpoints ? m->kept_read_share : m->read_share;
    const double window = room_at_first * read_share;
    s->cache_at_first = window;
    s->cache_room = room * read_share;
    const double packed =
        packed_bytes(s->text - s->plain, rate_of(s, ND_RATE_PACKED), window, t->checkpoints);
    s->packed = keep(packed, t->checkpoints ? 0 : room * m->packed_share, t->checkpoints);
    s->masks = (1 - plain) * (s->text - token_bytes) / ND_PLAN_SENTENCE / 8;
    /* while texts are packed that are kept, little else is there; common sentences are */
    s->packer = t->checkpoints ? packer_bytes(packed, m->store * m->kept_packer_share) +
                                     fmin(s->cache_room / 8, beyond(packed, window) / 2)
                               : packer_bytes(packed, room * m->packer_share);
    s->names = keep(s->pages * names, room * m->name_share, t->checkpoints);
    /* made anew when a run goes on, so that no checkpoint keeps them */
    s->record = given(t->record, ND_PLAN_RECORD);
    s->digest = fmin(rate_of(s, ND_RATE_DIGEST), s->record);
    s->payload = given(t->payload + t->payload_token * s->tokens, ND_PLAN_TOKEN * s->tokens);
    s->digests = keep(s->pages * s->digest, m->sort, false);

    /* in a group a page is paired with at most so many others, in the mean */
    static const double MOST_CANDIDATES = 8;
    static const double NO_COPIES = 0.95; /* pages without an equal text before them, as measured */
    s->signed_pages = s->pages * rate_of(s, ND_RATE_SIGNED);
    s->postings = s->signed_pages * rate_of(s, ND_RATE_POSTINGS);
    s->made = plain < 1 ? s->pages * NO_COPIES : 0;
    s->keys =
        keep(s->made * (ND_PLAN_KEYS + ND_PLAN_KEY * rate_of(s, ND_RATE_POSTINGS)), m->sort, false);
    s->candidates = fmin(s->signed_pages * rate_of(s, ND_RATE_CANDIDATES),
                         given(t->neighbours, MOST_CANDIDATES) * s->postings);
    s->grouped = s->postings * rate_of(s, ND_RATE_GROUPED);
    s->chained = t->chained ? s->postings * rate_of(s, ND_RATE_CHAINED) : 0;
    s->pairs = s->signed_pages * rate_of(s, ND_RATE_PAIRS);
    s->pairs = t->chained ? s->pairs : fmin(s->pairs, s->candidates);
    s->finds = fmin(s->pairs * fmax(1, rate_of(s, ND_RATE_FINDS)), s->candidates);
    s->links = s->pairs * rate_of(s, ND_RATE_LINKS);
}

/* ---- what spills */

static double spooled(const sizes *s, double bytes) {
    return beyond(bytes, s->task->memory.spool);
}

/* Most bytes of a sort's run. The sorting takes the other half, where records are moved; large ones
 * stay where they are, and their keys and places are sorted. */
static double run_bytes(const sizes *s, double record) {
    enum { LARGE_RECORD = 64, PLACE = 32 };
    const double part = record < (double)LARGE_RECORD ? 0.5 : record / (record + (double)PLACE);
    return s->task->memory.sort * part;
}

static double sorted(const sizes *s, double bytes, double record) {
    return bytes > run_bytes(s, record) ? bytes : 0;
}

/* Small records are moved while they are sorted, which takes as much again; of large ones their
 * keys and places are. */
static double in_sort(const sizes *s, double bytes, double record) {
    const double beside = record > 32 ? 16 / record : 1;
    return fmin(run_bytes(s, record), bytes) * (1 + beside);
}

static double in_spool(const sizes *s, double bytes) {
    return fmin(s->task->memory.spool, bytes);
}

/* What stays in memory of all pages, whatever the stage. */
static double resident(const sizes *s) {
    return RESIDENT_BASE + s->pages * ND_PLAN_PAGE + in_memory(&s->names);
}

/* From signing on: contents without sentences, digests and where each begins, and of which pages
 * each is a copy. */
static double resident_signed(const sizes *s) {
    return resident(s) + s->plain_tokens + in_memory(&s->packed) + cached(s, s->cache_room) +
           in_memory(&s->digests) + s->pages * 3 * sizeof(double);
}

/* ---- stages; disk_bytes are counted for one rank here, cpu in microseconds of a core of speed 1
 */

static void plan_ingest(sizes *s, nd_plan_part *p) {
    const double pages = s->pages * ND_PLAN_PAGE;
    p->cpu =
        (rate_of(s, ND_RATE_INGEST_TIME) * s->page_bytes + rate_of(s, ND_RATE_TEXT_TIME) * s->text +
         rate_of(s, ND_RATE_PACK_TIME) * (s->text - s->plain)) /
        1e3;
    p->memory = RESIDENT_BASE + pages + s->plain + while_written(&s->packed) + s->packer +
                while_written(&s->names);
    p->written = in_file(&s->packed) + in_file(&s->names);
    if (s->task->checkpoints) {
        p->written += pages;
        p->read = pages;
    }
    p->disk_bytes = p->written;
    s->kept = p->written;
}

/* Microseconds to make the keys and digests of the pages that are compared. */
static double signing(const sizes *s) {
    return rate_of(s, ND_RATE_SIGN_TIME) * plan_sort_work(s->postings * s->ranks) / s->ranks;
}

/* First the fragments of the sample come together on their sites' ranks and are sorted; then their
 * marks, at home, and contents are selected: in place, or by masks. Unless all texts lie in memory
 * as they are, equal ones are found before, and keys and digests of the others made meanwhile. The
 * sample is read as if it were all pages: of large sites it is less. */
static void plan_content(sizes *s, nd_plan_part *p) {
    static const double SAMPLE_COPIES = 8; /* as measured, */
    static const double MERGING = 16e6;    /* and what sorted runs are read through */
    const double count = rate_of(s, ND_RATE_FRAGMENTS) * s->text / 1e3;
    const double fragments = count * ND_PLAN_FRAGMENT;
    const double marks = count * ND_PLAN_MARKS;
    const double masks = s->task->checkpoints ? s->masks : 0;
    const bool packs = s->task->memory.sort >= ND_PLAN_PACKED_SORT;
    const double runs =
        sorted(s, fragments, ND_PLAN_FRAGMENT) * (packs ? ND_PLAN_FRAGMENT_PACKED : 1);
    const double hashes = s->pages * ND_PLAN_TEXT_HASH;
    const double hash_runs = s->made > 0 ? sorted(s, hashes, ND_PLAN_TEXT_HASH) : 0;
    const double spilled = runs + spooled(s, marks) + sorted(s, marks, ND_PLAN_MARKS) + hash_runs;
    const double keys = in_file(&s->keys);
    const double digests = s->made > 0 ? in_file(&s->digests) : 0;
    const double pages = s->task->checkpoints ? s->pages * ND_PLAN_PAGE : 0;
    const double before = resident(s) + MERGING + s->plain + in_memory(&s->packed) +
                          (s->task->checkpoints ? 0 : s->packer);
    /* what is sent in rounds is there as it is made, as it is laid out, and as it arrives */
    const double in_rounds = (s->ranks > 1 ? 3 : 1) * fmin(s->task->memory.round, fragments);
    /* pages are sampled as they are made, laid out, received and sorted, and so are their sites';
     * texts are read after that */
    const double sampling = s->pages * SAMPLE_COPIES * ND_PLAN_SAMPLE;
    const double bringing = s->pages * (ND_PLAN_SAMPLE + sizeof(double)) +
                            cached(s, s->cache_at_first) + in_sort(s, fragments, ND_PLAN_FRAGMENT) +
                            fmax(in_rounds, in_spool(s, marks));
    const double selecting =
        cached(s, s->cache_at_first) + in_sort(s, marks, ND_PLAN_MARKS) + s->masks +
        (s->made > 0
             ? s->pages * sizeof(double) + while_written(&s->digests) + while_written(&s->keys)
             : 0);
    p->cpu = rate_of(s, ND_RATE_CONTENT_TIME) * s->text / 1e3 +
             signing(s) * s->made / s->signed_pages + unpacking(s, (count > 0 ? 2 : 1) * s->pages);
    p->sent = s->pages * (2 * ND_PLAN_SAMPLE + ND_PLAN_SAMPLED) + fragments + marks +
              (s->made > 0 ? hashes : 0);
    p->read = (count > 0 ? in_file(&s->packed) : 0) + packed_again(s, s->cache_at_first) + spilled;
    p->written = masks + spilled + keys + digests + pages;
    p->memory = before + fmax(sampling, fmax(bringing, selecting));
    p->local_bytes =
        fmax(runs + spooled(s, marks), sorted(s, marks, ND_PLAN_MARKS) + fmax(hash_runs, keys));
    p->disk_bytes = s->kept + fmax(runs + spooled(s, marks),
                                   sorted(s, marks, ND_PLAN_MARKS) +
                                       fmax(hash_runs, masks + keys + digests + pages));
    s->kept += masks + digests;
}

/* Equal contents are found, and the keys of the others sent; if need be equal texts, too, and keys
 * and digests made. */
static void plan_sign(sizes *s, nd_plan_part *p) {
    static const double SENDING = 0.05; /* of the time to make keys: as measured */
    const bool makes = s->made == 0;
    const double hashes = s->pages * ND_PLAN_TEXT_HASH;
    const double hash_runs = sorted(s, hashes, ND_PLAN_TEXT_HASH);
    const double postings = s->postings * ND_PLAN_POSTING;
    const double runs = sorted(s, postings, ND_PLAN_POSTING);
    const double firsts = s->task->checkpoints ? s->pages * 2 * sizeof(double) : 0;
    const double keys = in_file(&s->keys);
    const double digests = makes ? in_file(&s->digests) : 0;
    const double sorts = makes ? 2 : 1; /* of hashes */
    p->cpu = signing(s) * (makes ? 1 : SENDING);
    p->sent = postings + rate_of(s, ND_RATE_SIGN_SENT) * s->pages + sorts * hashes;
    p->written = sorts * hash_runs + runs + digests + firsts;
    p->read = sorts * hash_runs + keys;
    p->memory = resident(s) + s->plain_content + in_memory(&s->packed) + cached(s, s->cache_room) +
                s->pages * 3 * sizeof(double) + while_written(&s->digests) +
                while_written(&s->keys) +
                fmax(in_sort(s, hashes, ND_PLAN_TEXT_HASH), in_sort(s, postings, ND_PLAN_POSTING));
    p->local_bytes = keys + fmax(hash_runs, runs);
    p->disk_bytes = s->kept + fmax(keys + fmax(hash_runs, runs + digests), runs + digests + firsts);
    s->kept += digests + firsts;
}

/* The paper's own form: the pages of a group follow each other in a chain of links. */
static void plan_chains(sizes *s, nd_plan_part *p) {
    const double postings = sorted(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING);
    const double grouped = s->grouped * ND_PLAN_GROUPED;
    const double members = sorted(s, grouped, ND_PLAN_GROUPED);
    const double links = s->chained * ND_PLAN_LINK;
    const double stored = s->task->checkpoints ? links : spooled(s, links);
    p->cpu = rate_of(s, ND_RATE_BLOCK_TIME) * s->postings;
    p->sent = grouped;
    p->written = members + stored;
    p->read = 2 * postings + members;
    p->memory =
        resident_signed(s) + in_sort(s, grouped, ND_PLAN_GROUPED) +
        fmax(in_sort(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING), in_spool(s, links));
    p->local_bytes = members + postings;
    p->disk_bytes = s->kept + members + fmax(postings, stored);
    s->kept += stored;
}

static void plan_block(sizes *s, nd_plan_part *p) {
    if (s->task->chained) {
        plan_chains(s, p);
        return;
    }
    const double postings = sorted(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING);
    const double grouped = s->grouped * ND_PLAN_GROUPED;
    const double members = sorted(s, grouped, ND_PLAN_GROUPED);
    const double pairs = s->pairs * ND_PLAN_PAIR;
    const double stored = s->task->checkpoints ? pairs : spooled(s, pairs);
    const double lots =
        nd_plan_block_lots(s->candidates * s->ranks, s->record, s->ranks, s->task->memory.batch);
    const double finds = plan_finds(s->pairs, s->finds, lots) * ND_PLAN_FIND;
    const double fetches = nd_plan_fetches(s->signed_pages * rate_of(s, ND_RATE_BLOCK_PAGES),
                                           rate_of(s, ND_RATE_BLOCK_MEETINGS), lots);
    /* of a lot: its candidates with their pages, and digests as they come and as they are compared
     */
    const double worked_on = s->candidates * (2 * ND_PLAN_CANDIDATE + 2 * ND_PLAN_ASK) +
                             fetches * (s->digest + s->record);
    /* a sort that is full is rid of those found again */
    const bool fit = s->pairs * ND_PLAN_FIND < run_bytes(s, ND_PLAN_FIND) * 3 / 4;
    const double runs = fit ? 0 : sorted(s, finds, ND_PLAN_FIND);
    p->cpu = rate_of(s, ND_RATE_BLOCK_TIME) * s->candidates;
    p->sent = grouped + fetches * (s->digest + 2 * ND_PLAN_ASK) + finds;
    p->written = members + runs + stored;
    /* postings are read to find the big groups, and again */
    p->read = 2 * postings + members + runs + from_file(&s->digests, fetches * s->digest);
    p->memory =
        resident_signed(s) + in_sort(s, grouped, ND_PLAN_GROUPED) +
        fmax(in_sort(s, s->postings * ND_PLAN_POSTING, ND_PLAN_POSTING),
             in_sort(s, finds, ND_PLAN_FIND) + in_spool(s, pairs) + worked_on * s->ranks / lots);
    p->local_bytes = members + fmax(postings, runs);
    p->disk_bytes = s->kept + fmax(postings + members, fmax(members, stored) + runs);
    s->kept += stored;
}

/* Of pages that are compared at once: a rank alone takes less than it may have. */
static double batch_bytes(const sizes *s) {
    const double batch = s->task->memory.batch;
    return s->ranks > 1 ? batch : fmin(batch, ND_PLAN_ALONE);
}

static double payload_bytes(const sizes *s) {
    return s->payload + ND_PLAN_ASK;
}

/* The same on its way: between nodes words that come often have codes. */
static double payload_sent(const sizes *s) {
    static const double CODES = 0.52; /* of the tokens' bytes: as measured */
    const bool packed = s->task->nodes > 1 && s->task->payload_token > 0;
    return payload_bytes(s) - (packed ? (1 - CODES) * s->payload : 0);
}

/* Pairs are sorted by item, dealt, sorted again, and stored as they are dealt; with checkpoints the
 * stored ones replace those before. */
static void plan_verify(sizes *s, nd_plan_part *p) {
    const double pairs = s->pairs * ND_PLAN_PAIR;
    const double links = s->links * ND_PLAN_LINK;
    const double before = s->task->checkpoints ? pairs : spooled(s, pairs);
    const double runs = sorted(s, pairs, ND_PLAN_PAIR);
    const double linked = s->task->checkpoints ? links : spooled(s, links);
    const double sorts = s->ranks > 1 ? 2 : 1;
    const double lots = plan_verify_lots(s->pairs * s->ranks, s->payload, s->ranks, batch_bytes(s));
    const double fetches =
        fmin(2 * s->pairs, nd_plan_fetches(s->signed_pages * rate_of(s, ND_RATE_VERIFY_PAGES),
                                           rate_of(s, ND_RATE_VERIFY_MEETINGS), lots));
    p->cpu = rate_of(s, ND_RATE_VERIFY_TIME) * s->pairs * s->tokens / 1e3 +
             unpacking_fetched(s, fetches);
    p->sent = s->pairs * ND_PLAN_DEALT + fetches * payload_sent(s);
    p->written = sorts * runs + before + spooled(s, links) + linked;
    p->read =
        2 * before + sorts * runs + spooled(s, links) + packed_fetched(s, fetches, lots / s->ranks);
    p->memory = resident_signed(s) + sorts * in_sort(s, pairs, ND_PLAN_PAIR) + in_spool(s, pairs) +
                in_spool(s, links) + 2 * fmin(batch_bytes(s) / 8, pairs) +
                2 * fetches * payload_bytes(s) * s->ranks / lots;
    p->local_bytes = fmax(2 * runs, spooled(s, links));
    p->disk_bytes = s->kept + fmax(runs + fmax(runs, before), before + spooled(s, links) + linked);
    s->kept += linked - before;
}

/* Offers are written again after each round, for the links that still lead from one component to
 * another: some fourth of them in all, as measured. */
static void plan_join(sizes *s, nd_plan_part *p) {
    static const double OFFER_ROUNDS = 1.25;
    const double linked =
        s->task->checkpoints ? s->links * ND_PLAN_LINK : spooled(s, s->links * ND_PLAN_LINK);
    const double offers = spooled(s, s->links * ND_PLAN_OFFER);
    const double trees = sorted(s, s->links * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK);
    const double memberships = spooled(s, s->signed_pages * ND_PLAN_MEMBERSHIP);
    const double members = s->task->checkpoints ? s->pages * ND_PLAN_MEMBER : 0;
    const double fetched = s->links * rate_of(s, ND_RATE_JOIN_PAGES);
    /* digests are there as they come and as they are compared */
    const double page = payload_bytes(s) + s->digest + s->record;
    const double lots = fmax(1, fetched * page / batch_bytes(s));
    p->cpu = rate_of(s, ND_RATE_JOIN_TIME) * s->links +
             unpacking_fetched(s, fmin(fetched, s->signed_pages));
    p->sent =
        fetched * (payload_sent(s) + s->digest) + s->links * (ND_PLAN_TREE_LINK + ND_PLAN_LOOKED);
    p->written = OFFER_ROUNDS * offers + trees + memberships + members;
    p->read = linked + OFFER_ROUNDS * offers + trees + memberships +
              packed_fetched(s, fetched, lots) + from_file(&s->digests, fetched * s->digest);
    p->memory = resident_signed(s) +
                fmax(s->pages * (ND_PLAN_OFFER + 4 * sizeof(double)), s->pages * ND_PLAN_MEMBER) +
                in_sort(s, s->links * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK) +
                2 * in_spool(s, s->links * ND_PLAN_OFFER) + fetched * page / lots;
    p->local_bytes = fmax(2 * offers, offers + trees) + memberships;
    p->disk_bytes = s->kept + fmax(2 * offers, offers + trees) + memberships + members;
    s->kept += members - (s->task->keeps_pairs ? 0 : linked);
}

/* Perhaps-similar sets of links or of pairs, each on one rank, whose pages are compared with those
 * that open sets. */
static void plan_leaders(sizes *s, nd_plan_part *p) {
    static const double SET_PAGE = 32; /* a page of such a set on its way */
    static const double UNEVEN = 2;    /* sets are dealt by their comparisons, not their pages */
    const nd_plan_task *t = s->task;
    const double batch = batch_bytes(s);
    const double links = t->chained ? s->chained : s->pairs;
    const double before = links * (t->chained ? ND_PLAN_LINK : ND_PLAN_PAIR);
    const double taken = t->checkpoints ? before : spooled(s, before);
    const double copied = t->chained ? 0 : spooled(s, links * ND_PLAN_LINK);
    const double forest = fmin(links, s->signed_pages);
    const double offers = spooled(s, links * ND_PLAN_OFFER);
    const double trees = sorted(s, forest * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK);
    const double perhaps = s->signed_pages * rate_of(s, ND_RATE_PERHAPS);
    const double page = payload_bytes(s) + s->digest;
    const double memberships = spooled(s, perhaps * ND_PLAN_MEMBERSHIP);
    const double members = t->checkpoints ? s->pages * ND_PLAN_MEMBER : 0;
    /* a set is compared whole, whatever the batch, and its pages are there as they come, too */
    const double largest =
        fmin(given(t->set_cap, INFINITY), rate_of(s, ND_RATE_LARGEST) * perhaps * s->ranks) *
        (page + s->record);
    const double held = fmax(fmin(batch, UNEVEN * perhaps * (page + s->record)), largest);
    p->cpu = rate_of(s, ND_RATE_LEADERS_TIME) * s->pairs * s->tokens / 1e3 +
             unpacking_fetched(s, perhaps);
    p->sent = forest * ND_PLAN_TREE_LINK + perhaps * (SET_PAGE + payload_sent(s) + s->digest);
    p->written = copied + offers + trees + memberships + members;
    p->read = taken + copied + offers + trees + memberships + packed_fetched(s, perhaps, 1) +
              from_file(&s->digests, perhaps * s->digest);
    p->memory = resident_signed(s) +
                fmax(s->pages * (ND_PLAN_OFFER + 4 * sizeof(double)), s->pages * ND_PLAN_MEMBER) +
                in_sort(s, forest * ND_PLAN_TREE_LINK, ND_PLAN_TREE_LINK) +
                2 * in_spool(s, links * ND_PLAN_OFFER) + 2 * perhaps * SET_PAGE + 2 * held;
    p->local_bytes = copied + fmax(2 * offers, offers + trees) + memberships;
    p->disk_bytes = s->kept + p->local_bytes + members;
    s->kept += members - taken;
}

/* Pages inside of others: keys meet, hits go back to the pages that asked, and pairs are compared
 * in rounds. A fifth of the work is for the keys of all pages, whoever asks. */
static void plan_contain(sizes *s, nd_plan_part *p) {
    static const double FIXED = 0.2;
    static const double FILTER = 96; /* bytes for each page that asks, on every rank */
    const double asking = s->task->asking;
    const double keys = s->pages * asking * rate_of(s, ND_RATE_CONTAIN_KEYS);
    const double pairs = s->pages * asking * rate_of(s, ND_RATE_CONTAIN_PAIRS);
    const double payload = payload_bytes(s);
    const double sent = plan_contain_sent(keys, pairs, payload);
    const double hits = plan_contain_sent(keys, 0, 0) - keys * ND_PLAN_CONTAIN_KEY;
    const double found = pairs * ND_PLAN_LINK; /* at most */
    const double stored = s->task->checkpoints ? found : spooled(s, found);
    const double fetched = plan_contain_sent(0, pairs, payload) - pairs * ND_PLAN_CONTAIN_PAIR;
    const double spilled = sorted(s, keys * ND_PLAN_CONTAIN_KEY, ND_PLAN_CONTAIN_KEY) +
                           sorted(s, hits, ND_PLAN_CONTAIN_HIT);
    p->cpu = rate_of(s, ND_RATE_CONTAIN_TIME) * (FIXED + (1 - FIXED) * asking) * s->pages *
                 s->tokens / 1e3 +
             unpacking(s, fetched / payload);
    p->sent = sent;
    p->written = spilled + stored;
    p->read = spilled + 2 * packed_again(s, s->cache_room) + packed_pages(s, fetched / payload, 1);
    p->memory = resident_signed(s) + s->pages * (ND_PLAN_MEMBER + 2 * sizeof(double)) +
                fmin(FILTER * s->pages * s->ranks * asking, s->task->memory.sort / 4) +
                in_sort(s, keys * ND_PLAN_CONTAIN_KEY, ND_PLAN_CONTAIN_KEY) +
                in_sort(s, hits, ND_PLAN_CONTAIN_HIT) + 2 * fmin(s->task->memory.batch, fetched) +
                in_spool(s, found);
    p->local_bytes = spilled;
    p->disk_bytes = s->kept + spilled + stored;
    s->kept += stored;
}

/* Pages are sorted by their ids, and by their sets; pairs that are kept are, too. Names are read
 * for both of these, and as ids and as URLs. Texts and digests are gone. Of a page most is there
 * while it is found how sure it is: its address, six numbers of its set and site, and three of its
 * representative. */
static void plan_write(sizes *s, nd_plan_part *p) {
    static const double IDENTIFIED = 24;
    static const double IN_SET = 32;
    static const double NUMBERS = 10;
    static const double BUFFERS = 25e6; /* of the result's columns: as measured */
    const double pairs = s->task->keeps_pairs ? s->links * ND_PLAN_LINK : 0;
    const double by_id = sorted(s, s->pages * IDENTIFIED, IDENTIFIED);
    const double by_set = sorted(s, s->pages * IN_SET, IN_SET);
    const double of_pairs = sorted(s, pairs, ND_PLAN_PAIR);
    const double runs = fmax(of_pairs, fmax(by_id, by_set));
    p->cpu = rate_of(s, ND_RATE_WRITE_TIME) * s->pages;
    p->sent = rate_of(s, ND_RATE_WRITE_SENT) * s->pages + pairs;
    p->written = by_id + by_set + of_pairs;
    p->read =
        4 * in_file(&s->names) + p->written + (s->task->checkpoints ? pairs : spooled(s, pairs));
    p->memory = resident(s) + s->pages * (ND_PLAN_MEMBER + NUMBERS * sizeof(double)) + BUFFERS +
                in_sort(s, pairs, ND_PLAN_LINK);
    p->local_bytes = runs;
    p->disk_bytes = s->kept + runs;
}

/* ---- all stages */

static void plan_time(const sizes *s, nd_plan_stage stage, double result_bytes, nd_plan_part *p) {
    const nd_plan_task *t = s->task;
    const double on_node = t->ranks / t->nodes;
    /* files of a node that the system's own memory holds, beside what the ranks have (a fifth of
     * the node), cost their writing alone */
    const bool cached = p->disk_bytes + p->local_bytes < t->memory.total / 4;
    p->cpu = p->cpu / 1e6 / t->speed;
    p->network = p->sent * on_node * (t->nodes - 1) / t->nodes / t->network;
    p->disk = (p->written + (cached ? 0 : p->read)) * on_node / t->disk;
    p->disk += stage == ND_PLAN_INGEST ? s->input_bytes * on_node / t->input_disk : 0;
    p->disk += stage == ND_PLAN_WRITE ? result_bytes / t->nodes / t->disk : 0;
    /* the system writes what it was given, and reads ahead, while ranks work */
    p->seconds = fmax(p->cpu, p->disk) + p->network;
}

bool nd_plan_has(const nd_plan_task *task, nd_plan_stage stage) {
    return stage == ND_PLAN_CONTAIN                           ? task->asking > 0
           : stage == ND_PLAN_LEADERS                         ? task->leaders
           : stage == ND_PLAN_VERIFY || stage == ND_PLAN_JOIN ? !task->leaders
                                                              : true;
}

/* Of what a stage has on disks, what each node has on its own. */
static void plan_local(const nd_plan_task *task, double kept, nd_plan_part *p) {
    if (!task->local_tmp) {
        p->local_bytes = 0;
    } else if (task->checkpoints) {
        p->disk_bytes = fmin(fmax(p->disk_bytes - p->local_bytes, kept), p->disk_bytes);
    } else {
        p->local_bytes = p->disk_bytes;
        p->disk_bytes = 0;
    }
}

nd_plan nd_plan_make(const nd_plan_task *task, const nd_plan_rates *rates) {
    static const double EMPTY_FILE = 95e3; /* groups, tables, space left in chunks */
    static const double PAIR_ROW = 6;      /* of 20 bytes, as they were packed */
    static void (*const stages[ND_PLAN_STAGES])(sizes * s, nd_plan_part * p) = {
        plan_ingest, plan_content, plan_sign,    plan_block, plan_verify,
        plan_join,   plan_leaders, plan_contain, plan_write};
    nd_plan plan = {0};
    sizes s = {.task = task, .rates = rates};
    size_run(&s);
    const double pairs_kept = task->keeps_pairs ? s.links : 0;
    plan.result_bytes = EMPTY_FILE + s.ranks * pairs_kept * PAIR_ROW +
                        s.ranks * (s.pages * rate_of(&s, ND_RATE_COLUMNS) +
                                   s.names.bytes * rate_of(&s, ND_RATE_NAME_COLUMNS));
    /* a quarter of the bound is left for what is not counted page by page */
    plan.smallest_memory = (ceil(s.pages) * task->memory.per_page + task->memory.base) * 4 / 3;
    plan.candidates = s.candidates * s.ranks;
    plan.pairs = s.pairs * s.ranks;
    plan.links = s.links * s.ranks;
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        nd_plan_part *p = &plan.parts[i];
        if (!nd_plan_has(task, (nd_plan_stage)i)) {
            continue;
        }
        const double before = s.kept;
        stages[i](&s, p);
        plan_local(task, fmax(before, s.kept), p);
        plan_time(&s, (nd_plan_stage)i, plan.result_bytes, p);
        p->sent *= (s.ranks - 1) / s.ranks; /* the rest stays */
        p->disk_bytes *= s.ranks;
        p->local_bytes *= s.ranks;
        plan.seconds += p->seconds;
        plan.sent += p->sent;
        plan.written += p->written;
        plan.read += p->read;
        plan.memory = fmax(plan.memory, p->memory);
        plan.local_bytes = fmax(plan.local_bytes, p->local_bytes);
        if (p->disk_bytes > plan.disk_bytes) {
            plan.disk_bytes = p->disk_bytes;
            plan.disk_stage = (nd_plan_stage)i;
        }
    }
    return plan;
}
