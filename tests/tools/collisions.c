/* collisions SEED [BILLIONS] <TEXT: a text that shares no word with this one, and whose words have
 * the 32-bit hashes of its words with that seed of hashes. Made-up words are drawn until each word
 * of the text has one, or so many billions are drawn: any word then stands for those that have
 * none. How many words have one is said. Who knows the seed of a run makes such pages in
 * seconds; a test shows that nobody else does. */
#include "src/base/util.h"
#include "src/text/text_variant.h"
#include "tests/support/brief.h"

enum { ONSETS = 16, VOWELS = 5, ENDINGS = ONSETS * VOWELS * ONSETS * VOWELS };
enum { BEGINNING_BYTES = 8, WORD_BYTES = BEGINNING_BYTES + 4 };
enum { MOST_TEXT = 1 << 16, FILTER_BITS = 16 };

typedef struct wanted {
    uint32_t hash;
    bool found;
    char word[WORD_BYTES + 1];
} wanted;

static wanted words[MOST_TEXT]; /* ascending by hash */
static size_t word_count, found_count;
static uint8_t filter[1 << FILTER_BITS]; /* 1: some word's hash has these low bits */

static int by_hash(const void *a, const void *b) {
    const wanted *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static wanted *find(uint32_t hash) {
    const wanted key = {.hash = hash};
    return bsearch(&key, words, word_count, sizeof *words, by_hash);
}

static void list_words(const nd_page *page) {
    for (size_t i = 0; i < page->token_count; i++) {
        words[i].hash = (uint32_t)page->tokens[i];
        filter[words[i].hash % sizeof filter] = 1;
    }
    qsort(words, page->token_count, sizeof *words, by_hash);
    for (size_t i = 0; i < page->token_count; i++) {
        if (word_count == 0 || words[word_count - 1].hash != words[i].hash) {
            wanted *w = &words[word_count++];
            w->hash = words[i].hash;
            (void)snprintf(w->word, sizeof w->word, "none%zu", word_count % 100000);
        }
    }
}

/* So many syllables, of which `number` is the place among all. */
static void write_syllables(uint64_t number, int count, uint8_t *to) {
    static const char consonants[] = "bcdfghjklmnprstv", vowels[] = "aeiou";
    for (int i = 0; i < count; i++, number /= ONSETS * VOWELS) {
        *to++ = (uint8_t)consonants[number % ONSETS];
        *to++ = (uint8_t)vowels[number / ONSETS % VOWELS];
    }
}

/* Words of one beginning at a time, with all endings. */
static void search(uint64_t seed, uint64_t first, double billions) {
    static uint8_t bytes[ENDINGS * WORD_BYTES + ND_TOKEN_SLACK];
    static uint64_t tokens[ENDINGS];
    const nd_text_variant *loops = nd_text_variant_in_use();
    for (uint64_t i = 0; i < ENDINGS; i++) {
        write_syllables(i, 2, bytes + i * WORD_BYTES + BEGINNING_BYTES);
    }
    for (uint64_t number = first; found_count < word_count; number++) {
        uint8_t beginning[BEGINNING_BYTES];
        if ((double)(number - first) * ENDINGS > billions * 1e9) {
            break;
        }
        write_syllables(number, BEGINNING_BYTES / 2, beginning);
        for (uint64_t i = 0; i < ENDINGS; i++) {
            memcpy(bytes + i * WORD_BYTES, beginning, BEGINNING_BYTES);
            tokens[i] = i * WORD_BYTES << 32 | WORD_BYTES;
        }
        loops->hash_tokens(bytes, tokens, ENDINGS, seed);
        for (uint64_t i = 0; i < ENDINGS; i++) {
            const uint32_t hash = (uint32_t)tokens[i];
            wanted *w = filter[hash % sizeof filter] ? find(hash) : NULL;
            if (w != NULL && !w->found) {
                w->found = true;
                memcpy(w->word, bytes + i * WORD_BYTES, WORD_BYTES);
                found_count++;
            }
        }
    }
}

/* Each sentence as a line. */
static void print_forged(const nd_page *page) {
    for (size_t s = 0; s < page->sentence_count; s++) {
        const nd_sentence *sentence = &page->sentences[s];
        for (uint32_t i = 0; i < sentence->token_count; i++) {
            const wanted *w = find((uint32_t)page->tokens[sentence->first_token + i]);
            (void)printf("%s%.*s", i == 0 ? "" : " ", WORD_BYTES, w->word);
        }
        (void)printf(".\n");
    }
}

int main(int argc, char **argv) {
    static uint8_t text[MOST_TEXT];
    ND_OWNED(nd_page_free) nd_page page = {0};
    const size_t size = fread(text, 1, sizeof text, stdin);
    if (argc < 2 || argc > 3) {
        (void)fprintf(stderr, "usage: collisions SEED [BILLIONS] <TEXT\n");
        return 2;
    }
    page.hash_seed = strtoull(argv[1], NULL, 10);
    if (nd_page_from_text(&page, (nd_span){text, size}) != ND_OK) {
        (void)fprintf(stderr, "collisions: %s\n", nd_fail_text());
        return 1;
    }
    list_words(&page);
    search(page.hash_seed, nd_mix64(page.hash_seed) >> 40, argc > 2 ? strtod(argv[2], NULL) : 1e9);
    print_forged(&page);
    (void)fprintf(stderr, "%zu of %zu words have another of the same hash\n", found_count,
                  word_count);
    return 0;
}
