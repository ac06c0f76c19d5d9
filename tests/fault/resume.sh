#!/usr/bin/env bash
# A short form of scripts/kill_resume.sh, with kills and failures at chosen calls alone: called as
# resume.sh NEARDUP BUILD_DIR. The seed is fixed, so that the same calls are chosen every time.
set -euo pipefail
exec bash "$(dirname "${BASH_SOURCE[0]}")/../../scripts/kill_resume.sh" --points --runs 5 \
    --seed "${ND_TEST_SEED:-11}" --build "$2"
