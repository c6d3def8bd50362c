# Verilated models: weft_verilate(<library> TOP <module> [FAULTS] SOURCES ... [PARAMETERS N=V ...] [DEFINES ...]
#                                 [OPTIONS ...] [COMPILE ...])
# makes a static library whose header is V<library>.h with the class V<library>. Sources in their order of compilation,
# relative to the calling folder or absolute; WEFT_RTL_PRIMITIVES and _SWITCH list those of rtl/. FAULTS takes sources of rtl/ from the copy that has the seeded faults of tb/faults, and the package that chooses one
# before them. DEFINES are Verilog macros, OPTIONS go to Verilator (--assert, --trace, ...), COMPILE to the compiler. All generated C++ is two
# sources, of which the compiler does not optimise what is called once, and the run-time library is built once. WEFT_VERILATOR is empty where
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
set(WEFT_EMBED_RTL ${CMAKE_CURRENT_LIST_DIR}/embed_rtl.cmake)
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

# Files of rtl/ that are compiled, or said to a compiler; paths below it.
file(GLOB WEFT_RTL_FILES RELATIVE ${WEFT_RTL_DIR} CONFIGURE_DEPENDS ${WEFT_RTL_DIR}/*.sv ${WEFT_RTL_DIR}/*.f
     ${WEFT_RTL_DIR}/*.vlt)
set(WEFT_FAULTS_DIR ${WEFT_RTL_DIR}/../tb/faults)
file(GLOB WEFT_FAULTS RELATIVE ${WEFT_FAULTS_DIR} CONFIGURE_DEPENDS ${WEFT_FAULTS_DIR}/*.patch)

# weft_seed_faults(<folder> [<number>]): writes a copy of rtl/ with the seeded faults of tb/faults, of which <number> may be
# chosen for good; sets weft_faulty_files to its files. A patch that does not apply ends the build.
function(weft_seed_faults folder)
  set(inputs ${WEFT_RTL_FILES})
  list(TRANSFORM inputs PREPEND ${WEFT_RTL_DIR}/)
  set(patches ${WEFT_FAULTS} fault_pkg.sv)
  list(TRANSFORM patches PREPEND ${WEFT_FAULTS_DIR}/)
  set(outputs ${WEFT_RTL_FILES} fault_pkg.sv)
  list(TRANSFORM outputs PREPEND ${folder}/)
  set(script ${WEFT_RTL_DIR}/../scripts/faults)
  add_custom_command(OUTPUT ${outputs} COMMAND ${script} ${folder} ${ARGN} DEPENDS ${inputs} ${patches} ${script}
                     COMMENT "Seeding faults" VERBATIM)
  set(weft_faulty_files ${outputs} PARENT_SCOPE)
endfunction()
set(WEFT_FAULTY_RTL_DIR ${CMAKE_CURRENT_BINARY_DIR}/faulty_rtl)
weft_seed_faults(${WEFT_FAULTY_RTL_DIR})
add_custom_target(weft_faulty_rtl DEPENDS ${weft_faulty_files})

# weft_embed_rtl(<out> FUNCTION <name> FOLDER <folder> FILES <path>... DEPENDS ...): writes the C++ file <out> with this
# function of tb/build/embedded_rtl.h.
function(weft_embed_rtl out)
  cmake_parse_arguments(ARG "" "FUNCTION;FOLDER" "FILES;DEPENDS" ${ARGN})
  set(paths ${ARG_FILES})
  list(TRANSFORM paths PREPEND ${ARG_FOLDER}/)
  string(REPLACE ";" "|" names "${ARG_FILES}")
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DFUNCTION=${ARG_FUNCTION} -DFOLDER=${ARG_FOLDER} "-DFILES=${names}" -P
            ${WEFT_EMBED_RTL}
    DEPENDS ${paths} ${WEFT_EMBED_RTL} ${ARG_DEPENDS}
    VERBATIM)
  # A program that brings its own definition leaves this object out of its library, which has to hold nothing else then.
  set_source_files_properties(${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

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
  # clang asks libatomic whether an atomic needs a lock.
  target_link_libraries(weft_verilated PUBLIC Threads::Threads atomic)
endfunction()

function(weft_verilate library)
  cmake_parse_arguments(ARG "FAULTS" "TOP" "SOURCES;PARAMETERS;DEFINES;OPTIONS;COMPILE" ${ARGN})
  weft_verilated_runtime()
  set(sources)
  foreach(source ${ARG_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
  endforeach()
  set(faulty_rtl)
  if(ARG_FAULTS)
    set(faulty_rtl weft_faulty_rtl)
    list(TRANSFORM sources REPLACE "^${WEFT_RTL_DIR}/" "${WEFT_FAULTY_RTL_DIR}/")
    list(PREPEND sources ${WEFT_FAULTY_RTL_DIR}/fault_pkg.sv)
  endif()
  list(TRANSFORM ARG_PARAMETERS PREPEND -G)
  list(TRANSFORM ARG_DEFINES PREPEND +define+)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${library})
  # What Verilator has to know to read the same design again.
  list(JOIN sources "\n" arguments)
  list(JOIN ARG_PARAMETERS " " parameters)
  list(JOIN ARG_DEFINES " " defines)
  # Verilator writes the names into the model. From the root of the checkout on they are the same in every clone, so that
  # ccache finds what another one compiled.
  set(root ${WEFT_RTL_DIR}/..)
  set(names)
  foreach(source ${sources})
    file(RELATIVE_PATH name ${root} ${source})
    list(APPEND names ./${name})
  endforeach()
  file(CONFIGURE OUTPUT ${folder}.args CONTENT "--top-module ${ARG_TOP} ${parameters} ${defines}\n${arguments}\n" @ONLY)
  add_custom_command(
    OUTPUT ${folder}/fast.cpp ${folder}/slow.cpp ${folder}/V${library}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${WEFT_VERILATOR} --cc -O3 --x-initial unique --Mdir ${folder} --prefix V${library} --top-module ${ARG_TOP}
            ${ARG_PARAMETERS} ${ARG_DEFINES} ${ARG_OPTIONS} ${names}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -P ${WEFT_VERILATE_JOIN}
    DEPENDS ${sources} ${WEFT_VERILATE_JOIN} ${faulty_rtl}
    WORKING_DIRECTORY ${root}
    COMMENT "Verilating ${library}"
    VERBATIM)
  add_library(${library} STATIC ${folder}/fast.cpp ${folder}/slow.cpp)
  set_source_files_properties(${folder}/slow.cpp PROPERTIES COMPILE_OPTIONS -O0)
  target_include_directories(${library} SYSTEM PUBLIC ${folder})
  # Models are not instrumented; beside the sanitizers they take longer to optimise than to run.
  if(WEFT_SANITIZE)
    list(APPEND ARG_COMPILE -O0)
  endif()
  target_compile_options(${library} PRIVATE -w ${ARG_COMPILE})
  target_link_libraries(${library} PUBLIC weft_verilated)
endfunction()
