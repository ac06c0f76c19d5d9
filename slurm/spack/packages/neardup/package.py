# Spack recipe of neardup: slurm/README.md says how it is used.
try:  # from Spack 1.0 on kinds of packages are in its repository; before, in what follows
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass

from spack.package import *


class Neardup(CMakePackage):
    """Partition a web crawl into sets of near-duplicate pages."""

    license("Apache-2.0")

    # Built from the sources at hand, which Spack fetches from nowhere: spack dev-build neardup@main
    version("main")

    variant("simd", default=True, description="kernels for AVX2 and AVX-512 too")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gzip", type="build")
    depends_on("mpi")
    depends_on("hdf5+mpi@1.10:")
    depends_on("xxhash@0.8:")
    depends_on("libdeflate@1.10:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("brotli")
    depends_on("uchardet")
    depends_on("libpsl")
    depends_on("json-c")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("ND_SIMD", "simd"),
        ]
