#!/usr/bin/env bash
# Many small files: pages that are files of their own have URLs that keep their paths, the same
# whether a folder or a list names them, on any number of ranks; each is read once; and their list has
# to fit in the memory. Called as small_files.sh NEARDUP BUILD_DIR.
set -euo pipefail
# shellcheck source=tests/support/results.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/results.sh"
# shellcheck source=tests/support/generated_pages.sh
. "$support/generated_pages.sh"
need mpirun bc
cd "$folder"

# 480 pages in folders of 40, in which they have the names of the others
make_pages flat
number=0
for file in flat/*; do
    to=tree/$((number / 200))/doc$((number / 40))
    mkdir -p "$to"
    mv "$file" "$to/$((number % 40)).html"
    number=$((number + 1))
done
find tree -type f | sort -r >plain.list
sed 's/^/docs=/' plain.list >named.list

# urls NAME: a line for each of its URLs.
urls() {
    "$neardup" export "$1.h5" | tail -n +2 | cut -f 3 | sort -u
}
# is_same_by NAME RANKS INPUT...: they give the result NAME.
is_same_by() {
    partition again "${@:2}"
    same "$1" again
}
partition named 0 docs=tree
urls named | diff - <(sed 's,tree,file://docs,' plain.list | sort) || fail "URLs of docs=tree"
for ranks in 1 2 3 5; do
    is_same_by named $ranks @named.list
done
is_same_by named 3 docs=@plain.list
is_same_by named 0 docs=tree/0 docs=tree/1 docs=./tree/2 'docs=tree/1/*/0.html'
partition plain 0 tree
urls plain | diff - <(sed 's,^,file://,' plain.list | sort) || fail "URLs of tree"
is_same_by plain 2 @plain.list

# each file once, and the list in some windows; the 480 files are looked at when they are listed and when all is read
for ranks in 1 3; do
    partition counted $ranks @named.list --no-disk-check --fault count
    reads=$(sed -n 's/^passed: rank .* input-read \([0-9]*\) .*/\1/p' counted.log | paste -sd+ | bc)
    if [ "$reads" -lt 481 ] || [ "$reads" -gt 500 ]; then
        fail "$reads readings of 480 files and a list on $ranks ranks"
    fi
done

# 128M are 96M and what a page may take of the rest
status=0
"$neardup" partition @named.list -o refused.h5 --memory 128M 2>stderr || status=$?
if [ "$status" -ne 1 ] || [ "$(wc -l <stderr)" -ne 1 ] ||
    ! grep -q '480 inputs need --memory 129M' stderr; then
    fail "status $status: $(cat stderr)"
fi
[ ! -e refused.h5 ] || fail "a refused run left a result"
