# Writes OUT, a C++ file that names the commit of the sources in FOLDER for runs/build_commit.h; a file that says the
# same already keeps its time, so that nothing is compiled again. Outside a checkout of its own the commit is "unknown".
# Run as: cmake -DOUT=... -DFOLDER=... -DGIT=... -P build_commit.cmake
set(commit "unknown")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${FOLDER} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  get_filename_component(folder ${FOLDER} REALPATH)
  if(NOT failed AND top STREQUAL folder)
    execute_process(COMMAND ${GIT} -C ${FOLDER} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE found
                    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(NOT failed AND found)
      set(commit "${found}")
    endif()
  endif()
endif()
set(text "// Written by cmake/build_commit.cmake.\n#include \"runs/build_commit.h\"\n\nnamespace weft::runs {\n\n")
string(APPEND text "std::string_view build_commit() { return \"${commit}\"; }\n\n}  // namespace weft::runs\n")
set(before "")
if(EXISTS "${OUT}")
  file(READ "${OUT}" before)
endif()
if(NOT text STREQUAL before)
  file(WRITE "${OUT}" "${text}")
endif()
