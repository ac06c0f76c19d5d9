#!/usr/bin/env bash
# No circle: of the program's modules none uses, over however many others, one that uses it. A module
# is an object file; the variants of a kernel for wide registers belong to its module, and what
# chooses among the variants of the text's kernels (text_variant) has to know them all.
# Called as circles.sh NEARDUP BUILD_DIR.
set -euo pipefail
build=$2

if ! command -v nm >/dev/null; then
    echo "SKIPPED: there is no nm"
    exit 77
fi

# uses: a line "MODULE MODULE" for each module and one that defines a symbol which it needs.
uses() {
    nm -A "$build"/libnd_{core,io,mpi,cmd}.a | awk '
        NF < 2 { next }
        { path = $1; sub(/:[^:]*$/, "", path); sub(/^.*:/, "", path); sub(/\.c\.o$/, "", path)
          sub(/_(plain|wide|avx2|avx512|ifma)$/, "", path)
          symbol = $NF; type = $(NF - 1) }
        type ~ /^[TDBRCVW]$/ { home[symbol] = path }
        type == "U" { needs[path " " symbol] = 1 }
        END {
            for (pair in needs) {
                split(pair, part, " ")
                to = home[part[2]]
                if (to != "" && to != part[1] && part[1] != "text_variant") print part[1], to
            }
        }' | sort -u
}

edges=$(uses)
if [ "$(wc -l <<<"$edges")" -lt 300 ]; then
    echo "circles.sh: only $(wc -l <<<"$edges") uses among all modules: nm was not understood" >&2
    exit 1
fi
circles=$(tsort <<<"$edges" 2>&1 >/dev/null || true)
if [ -n "$circles" ]; then
    printf '%s\n' "$circles" >&2
    exit 1
fi
# A circle that is made on purpose is found.
module=${edges%% *}
if tsort <<<"$edges"$'\n'"$(head -n 1 <<<"$edges" | awk '{ print $2, $1 }')" >/dev/null 2>&1; then
    echo "circles.sh: a circle through $module is not found" >&2
    exit 1
fi
echo "$(wc -l <<<"$edges") uses, no circle"
