# What cmake is told to compile for arm64 elsewhere, and to run it under qemu: the preset arm64 names this
# file. Libraries are those that arm64_root of scripts/lib.sh has unpacked into build/arm64-root.
set(ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root)
file(REAL_PATH ${ROOT} ROOT)
set(LIBRARIES ${ROOT}/usr/lib/aarch64-linux-gnu)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_SYSROOT ${ROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${LIBRARIES}/pkgconfig:${ROOT}/usr/share/pkgconfig)

# The compilers of MPI and HDF5, which cmake would ask, are programs of arm64 themselves.
set(MPI_C_LIB_NAMES mpi)
set(MPI_mpi_LIBRARY ${LIBRARIES}/openmpi/lib/libmpi.so)
set(MPI_C_HEADER_DIR ${LIBRARIES}/openmpi/include)
set(MPI_C_ADDITIONAL_INCLUDE_DIRS "")
set(MPIEXEC_EXECUTABLE /usr/bin/mpiexec)
set(HDF5_NO_FIND_PACKAGE_CONFIG_FILE ON)
set(HDF5_C_COMPILER_EXECUTABLE HDF5_C_COMPILER_EXECUTABLE-NOTFOUND)
set(HDF5_C_INCLUDE_DIR ${ROOT}/usr/include/hdf5/openmpi)
set(HDF5_ROOT ${LIBRARIES}/hdf5/openmpi)
