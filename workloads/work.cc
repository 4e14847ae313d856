#include "workloads/work.h"
