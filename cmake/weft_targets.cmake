# One library per folder: weft_library(<folder name> SOURCES ... PUBLIC ... PRIVATE ...).
add_library(weft_options INTERFACE)
target_compile_features(weft_options INTERFACE cxx_std_17)
target_compile_options(weft_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(WEFT_WARNINGS_AS_ERRORS)
  target_compile_options(weft_options INTERFACE -Werror)
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()
if(WEFT_BUILD_FUZZ)
  target_compile_options(weft_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Sanitizers have checks of their own. What links the installed libraries decides for itself. Stacks are not guarded where
# every cycle passes and nothing foreign is read (target property WEFT_EVERY_CYCLE): it would cost 5 % there.
if(WEFT_HARDEN AND NOT WEFT_SANITIZE AND NOT WEFT_COVERAGE)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C CXX)
  target_compile_options(weft_options INTERFACE
    "$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>"
    $<$<AND:$<CONFIG:Release>,$<NOT:$<BOOL:$<TARGET_PROPERTY:WEFT_EVERY_CYCLE>>>>:-fstack-protector-strong>)
  target_link_options(weft_options INTERFACE "$<$<CONFIG:Release>:LINKER:-z,relro,-z,now,-z,noexecstack>")
endif()
if(WEFT_COVERAGE)
  target_compile_options(weft_options INTERFACE --coverage)
  target_link_options(weft_options INTERFACE --coverage)
endif()

# weft_precompile(<target> [<donor>]): has the headers that most C++ sources include compiled once, or takes what was compiled
# for <donor>, whose flags must be the same (-Winvalid-pch says where they are not). C sources are left alone.
function(weft_precompile target)
  if(NOT WEFT_PCH)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]c$")
  set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  # ccache preprocesses apart from compiling.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  if(ARGN)
    target_precompile_headers(${target} REUSE_FROM ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <string>
                              <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
  endif()
endfunction()

# weft_group(<target>): has the compiler see eight sources at once, which parses the headers that they share once.
function(weft_group target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endfunction()

set(WEFT_CYCLE_LIBRARIES base network router switch npu mem sc_models)

function(weft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(weft_${name} STATIC ${ARG_SOURCES})
  add_library(weft::${name} ALIAS weft_${name})
  set_target_properties(weft_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_include_directories(weft_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/weft>)
  target_link_libraries(weft_${name} PUBLIC ${ARG_PUBLIC} PRIVATE $<BUILD_INTERFACE:weft_options> ${ARG_PRIVATE})
  target_compile_features(weft_${name} PUBLIC cxx_std_17)
  # With sanitizers to optimise costs more than it spares, but for the libraries through which every cycle passes.
  if(WEFT_SANITIZE AND NOT name IN_LIST WEFT_CYCLE_LIBRARIES)
    target_compile_options(weft_${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  endif()
  if(WEFT_UNITY)
    weft_group(weft_${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_LIBRARIES ${name})
  weft_install_library(${name})
endfunction()

# Installs weft::<name> with the headers of its folder; includes read the same inside and outside.
function(weft_install_library name)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  install(TARGETS weft_${name} EXPORT weft_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft/${folder}
          FILES_MATCHING PATTERN "*.h")
endfunction()

# Adds a folder if it has a list of its own yet.
macro(weft_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endmacro()
