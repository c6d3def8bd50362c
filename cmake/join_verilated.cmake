# cmake -DFOLDER=<folder> -P join_verilated.cmake: writes <folder>/fast.cpp and <folder>/slow.cpp, which together include all
# generated C++ there. slow.cpp has what is called once per instance: the set-up, and the table of names.
file(GLOB fast RELATIVE ${FOLDER} ${FOLDER}/V*.cpp)
list(SORT fast)
set(slow ${fast})
list(FILTER slow INCLUDE REGEX "__(Slow|Syms)")
list(FILTER fast EXCLUDE REGEX "__(Slow|Syms)")
foreach(name fast slow)
  list(TRANSFORM ${name} REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN ${name} "" text)
  file(WRITE ${FOLDER}/${name}.cpp "${text}")
endforeach()
