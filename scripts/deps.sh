# shellcheck shell=bash disable=SC2034,SC2154  # sourced: the lists are used, and headroom_root is set, by who sources it
# The Debian packages Headroom needs, and what run and test share. Sourced by them; never run by itself.

headroom_build_packages=(
  g++ cmake ninja-build
  libboost-dev libboost-graph-dev libeigen3-dev libhdf5-dev libcli11-dev
  libyaml-cpp-dev libfmt-dev nlohmann-json3-dev libsqlite3-dev zlib1g-dev
)
headroom_test_packages=(
  libgtest-dev libbenchmark-dev librapidcheck-dev
  python3 python3-h5py python3-pandas python3-matplotlib python3-xarray python3-h5netcdf
)
headroom_cluster_packages=(slurm-wlm munge parallel)  # a Slurm of its own for one test, and GNU parallel
headroom_fuzz_packages=(clang libclang-rt-14-dev)

# Prints those of the named packages that are not installed. A tool that is on the PATH counts, wherever it came from.
headroom_missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    case "$package" in
      g++ | cmake | clang) if command -v "$package" >/dev/null; then continue; fi ;;
      ninja-build) if command -v ninja >/dev/null || command -v make >/dev/null; then continue; fi ;;
    esac
    grep -qxF "$package installed" <<<"$installed" || printf '%s\n' "$package"
  done
}

# Installs what is missing of the named packages where that is allowed (root, or sudo without a password); else says
# what to type and fails. Output of apt goes to stderr and only when something has to be done.
# HEADROOM_SKIP_DEPS=1: the libraries come from elsewhere (a prefix, Spack, conda); nothing is checked.
headroom_need() {
  if [ -n "${HEADROOM_SKIP_DEPS:-}" ]; then return 0; fi
  if ! command -v dpkg-query >/dev/null; then
    echo "no dpkg here, so packages are not checked; what is needed, by Debian's names: $*" >&2
    return 0
  fi
  local missing
  mapfile -t missing < <(headroom_missing_packages "$@")
  if [ "${#missing[@]}" -eq 0 ]; then return 0; fi

  local as_root
  if [ "$(id -u)" -eq 0 ]; then
    as_root=(env)
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n env)
  else
    printf 'some packages are missing; install them with\n    sudo apt-get install %s\n' "${missing[*]}" >&2
    return 1
  fi
  echo "installing ${missing[*]}" >&2
  local install=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
  local log
  log=$(mktemp)
  # The package lists of a fresh machine are empty, so a first failure is no news: refresh them and try again.
  if ! "${install[@]}" >"$log" 2>&1 &&
    ! { "${as_root[@]}" apt-get update -q >"$log" 2>&1 && "${install[@]}" >>"$log" 2>&1; }; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    printf 'apt-get could not install them; once it can, this does\n    apt-get install %s\n' "${missing[*]}" >&2
    return 1
  fi
  rm -f "$log"
}

# headroom_build PRESET TESTING TARGET...: configures (once) and builds into build/PRESET; silent unless it fails.
# TESTING: on turns the tests on; off leaves them as an earlier configuration had them.
headroom_build() {
  local preset=$1 testing=$2
  shift 2
  local tree=$headroom_root/build/$preset log=$headroom_root/build/$preset.log
  mkdir -p "$tree"
  (
    # Two of these at once would write the same files.
    if command -v flock >/dev/null; then flock 9; fi
    if [ ! -e "$tree/build.ninja" ] && [ ! -e "$tree/Makefile" ] || { [ "$testing" = on ] && ! grep -qx 'BUILD_TESTING:BOOL=ON' "$tree/CMakeCache.txt"; }; then
      local options=(--preset "$preset" "-DBUILD_TESTING=${testing^^}")
      if [ ! -e "$tree/CMakeCache.txt" ]; then
        if command -v ninja >/dev/null; then options+=(-G Ninja); else options+=(-G "Unix Makefiles"); fi
        if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
      fi
      echo "configuring and building build/$preset; the first time takes a few minutes" >&2
      (cd "$headroom_root" && cmake "${options[@]}") >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    fi
    cmake --build "$tree" --target "$@" --parallel "$(nproc)" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  ) 9>"$tree.lock"
}
