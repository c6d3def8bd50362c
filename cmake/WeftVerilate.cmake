# Verilated models: weft_verilate(<library> TOP <module> SOURCES ... [PARAMETERS N=V ...] [DEFINES ...] [OPTIONS ...]
#                                 [COMPILE ...])
# makes a static library whose header is V<library>.h with the class V<library>. Sources in their order of compilation,
# relative to the calling folder or absolute; WEFT_RTL_PRIMITIVES, _SWITCH, _CHECKERS and _SWITCH_CHECKERS list those of
# rtl/. DEFINES are Verilog macros, OPTIONS go to Verilator (--assert, --trace, ...), COMPILE to the compiler. All generated C++ is one
# source, and the run-time library is built once, so a model costs two compilations. WEFT_VERILATOR is empty where
# Verilator is missing: ask before calling.
find_program(WEFT_VERILATOR verilator)
if(WEFT_VERILATOR)
  execute_process(COMMAND ${WEFT_VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE WEFT_VERILATOR_ROOT
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
else()
  set(WEFT_VERILATOR "")
endif()

set(WEFT_RTL_DIR ${CMAKE_CURRENT_LIST_DIR}/../rtl)
get_filename_component(WEFT_RTL_DIR ${WEFT_RTL_DIR} ABSOLUTE)
set(WEFT_VERILATE_JOIN ${CMAKE_CURRENT_LIST_DIR}/join_verilated.cmake)

# Absolute names of the files that rtl/<list> names.
function(weft_rtl_files list variable)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${WEFT_RTL_DIR}/${list})
  file(STRINGS ${WEFT_RTL_DIR}/${list} names)
  list(TRANSFORM names PREPEND ${WEFT_RTL_DIR}/)
  set(${variable} ${names} PARENT_SCOPE)
endfunction()
weft_rtl_files(primitives.f WEFT_RTL_PRIMITIVES)
weft_rtl_files(switch.f WEFT_RTL_SWITCH)
weft_rtl_files(checkers.f WEFT_RTL_CHECKERS)
weft_rtl_files(switch_checkers.f WEFT_RTL_SWITCH_CHECKERS)

# What every Verilated model links with.
function(weft_verilated_runtime)
  if(TARGET weft_verilated)
    return()
  endif()
  set(include ${WEFT_VERILATOR_ROOT}/include)
  add_library(weft_verilated STATIC ${include}/verilated.cpp ${include}/verilated_threads.cpp
              ${include}/verilated_vcd_c.cpp ${include}/verilated_cov.cpp)
  target_include_directories(weft_verilated SYSTEM PUBLIC ${include} ${include}/vltstd)
  target_compile_options(weft_verilated PRIVATE -w)
  target_link_libraries(weft_verilated PUBLIC Threads::Threads)
endfunction()

function(weft_verilate library)
  cmake_parse_arguments(ARG "" "TOP" "SOURCES;PARAMETERS;DEFINES;OPTIONS;COMPILE" ${ARGN})
  weft_verilated_runtime()
  set(sources)
  foreach(source ${ARG_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
  endforeach()
  list(TRANSFORM ARG_PARAMETERS PREPEND -G)
  list(TRANSFORM ARG_DEFINES PREPEND +define+)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${library})
  # What Verilator has to know to read the same design again.
  list(JOIN sources "\n" arguments)
  list(JOIN ARG_PARAMETERS " " parameters)
  list(JOIN ARG_DEFINES " " defines)
  file(CONFIGURE OUTPUT ${folder}.args CONTENT "--top-module ${ARG_TOP} ${parameters} ${defines}\n${arguments}\n" @ONLY)
  add_custom_command(
    OUTPUT ${folder}/all.cpp ${folder}/V${library}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${WEFT_VERILATOR} --cc -O3 --x-initial unique --Mdir ${folder} --prefix V${library} --top-module ${ARG_TOP}
            ${ARG_PARAMETERS} ${ARG_DEFINES} ${ARG_OPTIONS} ${sources}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -P ${WEFT_VERILATE_JOIN}
    DEPENDS ${sources} ${WEFT_VERILATE_JOIN}
    COMMENT "Verilating ${library}"
    VERBATIM)
  add_library(${library} STATIC ${folder}/all.cpp)
  target_include_directories(${library} SYSTEM PUBLIC ${folder})
  target_compile_options(${library} PRIVATE -w ${ARG_COMPILE})
  target_link_libraries(${library} PUBLIC weft_verilated)
endfunction()
