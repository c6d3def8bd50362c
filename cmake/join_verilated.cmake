# cmake -DFOLDER=<folder> -P join_verilated.cmake: writes <folder>/all.cpp, which includes all generated C++ there.
file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/V*.cpp)
list(SORT sources)
list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN sources "" text)
file(WRITE ${FOLDER}/all.cpp "${text}")
