#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The outside packages of the page without a server (cmake/KdynWasm.cmake): Debian's sources, compiled by emscripten into PREFIX.
# Usage: tools/wasm_packages.sh PREFIX. What is there already is kept.
set -euo pipefail
export NODE_PATH=/usr/share/nodejs  # acorn, with which emscripten makes its scripts small
prefix=$(realpath -m "${1:?give the folder to install into}")
sources=$prefix/src
mkdir -p "$prefix/include" "$prefix/lib" "$sources"
flags="-O2 -fwasm-exceptions -msimd128 -DNDEBUG -ffunction-sections -fdata-sections"

# source_of <package>: unpacks Debian's source package; prints its folder.
source_of() {
  local found
  found=$(find "$sources" -maxdepth 1 -type d -name "$1-[0-9]*" | head -n 1)
  if [[ -z $found ]]; then
    # The repository of this machine with its sources, in lists of our own: the lists of the machine stay as they are.
    local lists=$sources/apt
    if [[ ! -d $lists ]]; then
      mkdir -p "$lists/lists/partial" "$lists/parts"
      # shellcheck disable=SC2016  # the names are apt's
      apt-get indextargets --format '$(REPO_URI) $(SUITE) $(COMPONENT)' 'Created-By: Packages' | sort -u | grep -v -e '-security ' -e '-updates ' |
        sed -n 's|^\([^ ]*\) \([^ ]*\) \(main\)$|deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \1 \2 \3|p' >"$lists/parts/debian.list"
      [[ -s $lists/parts/debian.list ]] || {
        echo "apt knows no repository of Debian: run apt-get update, or name one in /etc/apt/sources.list" >&2
        exit 1
      }
      apt-get -qq "${apt_options[@]}" update >&2
    fi
    (cd "$sources" && apt-get -qq "${apt_options[@]}" source "$1" >&2)
    found=$(find "$sources" -maxdepth 1 -type d -name "$1-[0-9]*" | head -n 1)
  fi
  printf '%s' "$found"
}
apt_options=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$sources/apt/parts" -o "Dir::State::lists=$sources/apt/lists"
  -o "Dir::Cache=$sources/apt" -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0)

# compiled <library> <compiler> <flags> <source...>
compiled() {
  local library=$1 compiler=$2 more=$3 source
  shift 3
  local objects=$sources/objects/$library
  mkdir -p "$objects"
  # shellcheck disable=SC2086  # flags are words
  for source in "$@"; do printf '%s\0' "$source"; done |
    xargs -0 -P "$(nproc)" -I{} sh -c "$compiler $flags $more -w -c '{}' -o '$objects/'\$(basename '{}').o"
  emar rcs "$prefix/lib/lib$library.a.new" "$objects"/*.o
  mv "$prefix/lib/lib$library.a.new" "$prefix/lib/lib$library.a"
}
have() { [[ -f $prefix/lib/lib$1.a ]]; }

ln -sfn /usr/include/nlohmann "$prefix/include/nlohmann"
ln -sfn /usr/include/fast_float "$prefix/include/fast_float"
if ! have fmt; then
  folder=$(source_of fmtlib)
  cp -r "$folder/include/fmt" "$prefix/include/"
  compiled fmt em++ "-std=c++20 -I$folder/include" "$folder"/src/{format,os}.cc
fi
if ! have pugixml; then
  folder=$(source_of pugixml)
  cp "$folder"/src/*.hpp "$prefix/include/"
  compiled pugixml em++ -std=c++20 "$folder/src/pugixml.cpp"
fi
if ! have z; then
  folder=$(source_of zlib)
  cp "$folder/zlib.h" "$folder/zconf.h" "$prefix/include/"
  compiled z emcc "-DHAVE_UNISTD_H" "$folder"/{adler32,compress,crc32,deflate,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
fi
if ! have zip; then
  folder=$(source_of libzip)
  emcmake cmake -S "$folder" -B "$sources/objects/libzip" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="$flags -w" -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
    -DZLIB_LIBRARY="$prefix/lib/libz.a" -DZLIB_INCLUDE_DIR="$prefix/include" -DENABLE_{BZIP2,LZMA,ZSTD,OPENSSL,GNUTLS,MBEDTLS,COMMONCRYPTO}=OFF \
    -DHAVE_SIZEOF_OFF_T=TRUE -DSIZEOF_OFF_T=8 -DHAVE_SIZEOF_SIZE_T=TRUE -DSIZEOF_SIZE_T=4 -DBUILD_{TOOLS,REGRESS,EXAMPLES,DOC,SHARED_LIBS}=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
  cmake --build "$sources/objects/libzip" --target install
fi
if ! have sqlite3; then
  folder=$(source_of sqlite3)
  (cd "$folder" && { [[ -f sqlite3.c ]] || { ./configure --disable-tcl --disable-readline >/dev/null && make sqlite3.c >/dev/null; }; })
  cp "$folder/sqlite3.h" "$prefix/include/"
  compiled sqlite3 emcc "-Oz -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_DQS=0 -DSQLITE_OMIT_WAL -DSQLITE_DEFAULT_MEMSTATUS=0" "$folder/sqlite3.c"
fi
if ! have ceres; then
  folder=$(source_of ceres-solver)
  printf 'if(NOT TARGET Threads::Threads)\n  add_library(Threads::Threads INTERFACE IMPORTED GLOBAL)\nendif()\n' >"$sources/no_threads.cmake"
  emcmake cmake -S "$folder" -B "$sources/objects/ceres" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE= -DCMAKE_CXX_FLAGS="$flags -w" \
    -DMINIGLOG=ON -DEIGENSPARSE=ON -DCERES_THREADING_MODEL=NO_THREADS -D{SUITESPARSE,CXSPARSE,LAPACK,GFLAGS,CUDA,SCHUR_SPECIALIZATIONS}=OFF \
    -DBUILD_{TESTING,EXAMPLES,BENCHMARKS,DOCUMENTATION}=OFF -DCMAKE_PROJECT_INCLUDE="$sources/no_threads.cmake" \
    -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=BOTH -DEigen3_DIR=/usr/share/eigen3/cmake -DCMAKE_INSTALL_PREFIX="$prefix"
  cmake --build "$sources/objects/ceres" --target install
fi
