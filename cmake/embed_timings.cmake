# Writes OUT, a C++ file with the text of each of FILES (paths below FOLDER) for mem/dram/embedded_timings.h.
# Run as: cmake -DOUT=... -DFOLDER=... -DFILES=a.yaml|b.yaml -P embed_timings.cmake
string(REPLACE "|" ";" files "${FILES}")
set(text "// Written by cmake/embed_timings.cmake.\n#include \"mem/dram/embedded_timings.h\"\n\nnamespace weft::mem {\n\n")
string(APPEND text "const std::map<std::string, std::string>& embedded_timings() {\n")
string(APPEND text "  static const std::map<std::string, std::string> files = {\n")
foreach(name IN LISTS files)
  file(READ "${FOLDER}/${name}" content)
  string(REGEX REPLACE "[.]yaml$" "" key "${name}")
  string(APPEND text "      {\"${key}\", R\"weft_yaml(${content})weft_yaml\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace weft::mem\n")
file(WRITE "${OUT}" "${text}")
