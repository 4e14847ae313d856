#include "workloads/shape_graph.h"

#include <algorithm>
#include <cmath>

#include "policies/check.h"
#include "workloads/expectation.h"

namespace headroom {
namespace {

constexpr std::int64_t kSaturated = 4'000'000'000'000'000'000;

std::int64_t saturating(__int128 value) { return static_cast<std::int64_t>(std::min<__int128>(value, kSaturated)); }

/// 1 + arity + … + arity^(depth - 1).
std::int64_t tree_stages(std::int64_t depth, std::int64_t arity) {
  if (arity <= 1) return depth;
  __int128 sum = 0, level = 1;
  for (std::int64_t d = 0; d < depth && sum < kSaturated; ++d) {
    sum += level;
    level = std::min<__int128>(level * arity, kSaturated);
  }
  return saturating(sum);
}

std::int64_t number(const Distribution& of, const Draws& draws, std::uint32_t workflow, Attribute attribute) {
  const std::int64_t drawn =
      of.is_random() ? sample_integer(of, draws.uniform(workflow, 0, 0, attribute)) : of.constant;
  return std::clamp<std::int64_t>(drawn, 1, kSaturated);
}

}  // namespace

ShapeNumbers draw_numbers(const Shape& shape, const Draws& draws, std::uint32_t workflow) {
  return {number(shape.size, draws, workflow, Attribute::kShapeSize),
          number(shape.breadth, draws, workflow, Attribute::kShapeBreadth),
          number(shape.degree, draws, workflow, Attribute::kShapeDegree)};
}

std::int64_t stages_of(Shape::Kind kind, std::int64_t size, std::int64_t breadth) {
  switch (kind) {
    case Shape::Kind::kSingle:
      return 1;
    case Shape::Kind::kChain:
    case Shape::Kind::kRandom:
      return size;
    case Shape::Kind::kForkJoin:
      return saturating(static_cast<__int128>(size) + 2);
    case Shape::Kind::kLayered:
      return saturating(static_cast<__int128>(size) * breadth);
    case Shape::Kind::kTree:
      return tree_stages(size, breadth);
    case Shape::Kind::kDiamond:
      return saturating(static_cast<__int128>(size) * size);
  }
  return 1;
}

long double needs_of(const Shape& shape, const ShapeNumbers& numbers) {
  const auto size = static_cast<long double>(numbers.size), breadth = static_cast<long double>(numbers.breadth);
  switch (shape.kind) {
    case Shape::Kind::kSingle:
      return 0;
    case Shape::Kind::kForkJoin:
    case Shape::Kind::kDiamond:
      return 2 * static_cast<long double>(stages_of(shape.kind, numbers.size, numbers.breadth));
    case Shape::Kind::kLayered:
      return (size - 1) * breadth * static_cast<long double>(std::min(numbers.degree, numbers.breadth));
    case Shape::Kind::kRandom:
      return size * (size - 1) / 2 * shape.edge_probability;
    case Shape::Kind::kChain:
    case Shape::Kind::kTree:
      break;
  }
  return static_cast<long double>(stages_of(shape.kind, numbers.size, numbers.breadth)) - 1;
}

long double mean_stages(const Shape& shape) {
  const auto sizes = support_of(shape.size, 1);
  const bool has_breadth = shape.kind == Shape::Kind::kTree || shape.kind == Shape::Kind::kLayered;
  const auto breadths = has_breadth ? support_of(shape.breadth, 1) : support_of(Distribution::always(1), 1);
  long double mean = 0;
  for (const auto& [size, size_probability] : sizes)
    for (const auto& [breadth, breadth_probability] : breadths)
      mean += static_cast<long double>(stages_of(shape.kind, size, breadth)) * size_probability * breadth_probability;
  return mean;
}

void ShapeGraph::make(const Shape& shape, const ShapeNumbers& numbers, const Draws& draws, std::uint32_t workflow) {
  const std::int64_t stages = stages_of(shape.kind, numbers.size, numbers.breadth);
  HEADROOM_CHECK(stages <= kMostShapeStages, "stages = " + std::to_string(stages));
  needs_.clear();
  begin_.assign(1, 0);
  begin_.reserve(static_cast<std::size_t>(stages) + 1);
  switch (shape.kind) {
    case Shape::Kind::kSingle:
    case Shape::Kind::kChain:
      for (std::int64_t s = 0; s < stages; ++s) {
        if (s > 0) need(s - 1);
        end_stage();
      }
      break;
    case Shape::Kind::kForkJoin:
      fork_join(numbers.size);
      break;
    case Shape::Kind::kLayered:
      layered(numbers, draws, workflow);
      break;
    case Shape::Kind::kRandom:
      random(stages, shape.edge_probability, draws, workflow);
      break;
    case Shape::Kind::kTree:
      tree(stages, numbers.breadth);
      break;
    case Shape::Kind::kDiamond:
      diamond(numbers.size);
      break;
  }
  HEADROOM_CHECK(this->stages() == static_cast<std::size_t>(stages), "made = " + std::to_string(this->stages()));
}

void ShapeGraph::fork_join(std::int64_t width) {
  end_stage();
  for (std::int64_t s = 1; s <= width; ++s) {
    need(0);
    end_stage();
  }
  for (std::int64_t s = 1; s <= width; ++s) need(s);
  end_stage();
}

/// `degree` different ones of `breadth`, each set equally likely, by Floyd's method: one draw for each.
void ShapeGraph::layered(const ShapeNumbers& numbers, const Draws& draws, std::uint32_t workflow) {
  const std::int64_t degree = std::min(numbers.degree, numbers.breadth);
  for (std::int64_t layer = 0; layer < numbers.size; ++layer) {
    for (std::int64_t i = 0; i < numbers.breadth; ++i) {
      const std::int64_t stage = layer * numbers.breadth + i, before = (layer - 1) * numbers.breadth;
      const std::size_t begin = needs_.size();
      for (std::int64_t k = 0; layer > 0 && k < degree; ++k) {
        const std::int64_t last = numbers.breadth - degree + k;
        if (degree == numbers.breadth) {  // all of them: nothing is drawn
          need(before + k);
          continue;
        }
        const long double u = draws.uniform(workflow, static_cast<std::uint32_t>(stage), static_cast<std::uint32_t>(k),
                                            Attribute::kShapeNeeds);
        const auto drawn = static_cast<std::int64_t>(u * static_cast<long double>(last + 1));
        const auto from = needs_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto place = std::lower_bound(from, needs_.end(), static_cast<std::uint32_t>(before + drawn));
        if (place == needs_.end() || *place != static_cast<std::uint32_t>(before + drawn)) {
          needs_.insert(place, static_cast<std::uint32_t>(before + drawn));
        } else {
          need(before + last);  // larger than all so far
        }
      }
      end_stage();
    }
  }
}

/// From one need of a stage to the next the distance is geometric, so only the needs that there are are drawn.
void ShapeGraph::random(std::int64_t stages, long double probability, const Draws& draws, std::uint32_t workflow) {
  const long double log_none = std::log1p(-probability);
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    std::int64_t next = -1;
    for (std::uint32_t k = 0; probability > 0; ++k) {
      long double skipped = 0;
      if (probability < 1) {
        const long double u = draws.uniform(workflow, static_cast<std::uint32_t>(stage), k, Attribute::kShapeNeeds);
        skipped = std::floor(std::log1p(-u) / log_none);
      }
      if (skipped >= static_cast<long double>(stage - next - 1)) break;
      next += 1 + static_cast<std::int64_t>(skipped);
      need(next);
    }
    end_stage();
  }
}

void ShapeGraph::tree(std::int64_t stages, std::int64_t arity) {
  for (std::int64_t s = 0; s < stages; ++s) {
    if (s > 0) need((s - 1) / arity);
    end_stage();
  }
}

void ShapeGraph::diamond(std::int64_t width) {
  for (std::int64_t row = 0; row < width; ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      const std::int64_t stage = row * width + column;
      if (row > 0) need(stage - width);
      if (column > 0) need(stage - 1);
      end_stage();
    }
  }
}

}  // namespace headroom
