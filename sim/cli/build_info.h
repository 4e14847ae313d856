// What this binary was made of. The values are filled in while it is configured and built.
#pragma once

namespace headroom::cli {

extern const char* const kVersion;    ///< "0.1.0"
extern const char* const kBuild;      ///< "Release, GNU 12.2.0"
extern const char* const kLibraries;  ///< "HDF5 1.10.8, yaml-cpp 0.7.0, …"
/// "890cb23dfa80", with "+" where the tree differed from the commit; "unknown" for a build from no repository.
[[nodiscard]] const char* build_commit();

}  // namespace headroom::cli
