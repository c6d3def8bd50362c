# SPDX-License-Identifier: Apache-2.0
# What the scripts share: where the checkout is, steps with their seconds, how many jobs. Sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export LC_ALL=C.UTF-8
# Clones of one machine share what ccache keeps: paths within a clone count from its root.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
logs=$root/build/logs
mkdir -p "$logs"

# Jobs that this machine can run side by side: one per core, and 1 GiB of memory for each compiler.
jobs_here() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1048576)}' /proc/meminfo)
  if ((memory < 1)); then memory=1; fi
  echo $((memory < cores ? memory : cores))
}

# step TITLE COMMAND...: runs the command with its output in build/logs, says how long it took, shows the end of
# the output where it fails, without the lines that WEFT_FAIL_HIDES matches.
step() {
  local title=$1 log start
  shift
  log=$logs/$(basename "$0")-$(tr -cs 'a-zA-Z0-9' '-' <<<"$title" | sed 's/-*$//').log
  start=$SECONDS
  printf '== %s ... ' "$title"
  if "$@" >"$log" 2>&1; then
    printf '%d s\n' $((SECONDS - start))
  else
    local status=$?
    printf 'failed after %d s; the end of %s:\n' $((SECONDS - start)) "${log#"$root"/}"
    grep -vE "${WEFT_FAIL_HIDES:-^$}" "$log" | tail -n "${WEFT_FAIL_LINES:-60}"
    return $status
  fi
}

# shown TITLE COMMAND...: the same, with the output on the screen.
shown() {
  local title=$1 start
  shift
  start=$SECONDS
  printf '== %s\n' "$title"
  "$@" || {
    local status=$?
    printf '== %s: failed after %d s\n' "$title" $((SECONDS - start))
    return $status
  }
  printf '== %s: %d s\n' "$title" $((SECONDS - start))
}

# build PRESET [TARGET...]: ninja shows its own progress on a terminal and is silent elsewhere.
build() {
  local preset=$1 runner=step
  shift
  if [[ -t 1 ]]; then runner=shown; fi
  "$runner" "building ($preset)" ninja -C "build/$preset" -j "$(jobs_here)" "$@"
}
