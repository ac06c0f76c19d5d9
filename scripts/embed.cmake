# cmake -DOUT=FILE.c "-DFILES=A;B" -P embed.cmake: write C code that holds each file as bytes, with
# the SHA-256 of these, as mpi/cmd/help.h declares them: a/b.css becomes nd_built_in_b_css.
set(code "#include \"mpi/cmd/help.h\"\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER "${name}" name)
  file(READ ${file} bytes HEX)
  file(SHA256 ${file} checksum)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(..)" "0x\\1," checksum "${checksum}")
  string(APPEND code "static const uint8_t ${name}[] = {${bytes}};\n"
                     "const nd_built_in nd_built_in_${name} = {${name}, sizeof ${name}, {${checksum}}};\n")
endforeach()
file(WRITE ${OUT} "${code}")
