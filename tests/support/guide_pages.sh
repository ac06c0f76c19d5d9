# shellcheck shell=bash
# tests/support/guide_pages.sh - the HTML pages of unpacked documentation as a list of INPUTs. To be
# sourced.

# list_pages FOLDER...: an INPUT for each HTML page below the folders, one a line; each folder is a
# collection of its own, named after it. What is no page (images, indexes of packages, text
# versions of the whole) stays out.
list_pages() {
    local folder name
    for folder in "$@"; do
        name=$(basename "$folder")
        name=${name#installation-guide-}
        name=${name//[!A-Za-z0-9_.-]/_} # what a collection may be called
        find "$folder" -type f -name '*.html' | LC_ALL=C sort | sed "s|^|$name=|"
    done
}

# list_guide_pages GUIDES: the same for a folder with a sub-folder for each guide.
list_guide_pages() {
    list_pages "$1"/*/
}
