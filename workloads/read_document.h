// From a tree to a Workload: parameters put in, every section read in its order, all errors gathered.
#pragma once

#include <string>
#include <vector>

#include "workloads/read_context.h"
#include "workloads/workload.h"

namespace headroom::yaml {

/// What a document is read with.
struct DocumentPlace {
  std::string file;    ///< as messages name it
  std::string folder;  ///< where relative names start; "" or ending in '/'
  std::string stem;    ///< the workload's default name
};

struct DocumentRead {
  Workload workload;
  std::vector<ReadError> errors;  ///< in no order
  std::size_t dropped = 0;        ///< errors beyond those
};

/// Reads the tree, which is changed: `$name` becomes what it stands for. With `check_fit` false a stage may be larger
/// than the cluster.
[[nodiscard]] DocumentRead read_document(Tree& tree, const Lines& lines, const DocumentPlace& place, bool check_fit);

}  // namespace headroom::yaml
