/// The API model: what the methods of a service's interface mean to a checker. A short file that people write
/// (docs/derive.md); nothing is inferred from names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/derived/schema.h"

namespace tenet::from_tests {

/// A role and the C++ expression over the method's parameters (and `$`, the returned value) that gives it.
using RoleExpression = std::pair<std::string, std::string>;

/// `ok = "ok()"`: the class of a status is the first whose member expression is true.
struct StatusModel {
  std::string type;
  std::vector<RoleExpression> classes;
  std::vector<std::string> refused;  ///< classes that say that nothing was changed; others but ok: perhaps
};

struct Method {
  std::string name;                     ///< as in the class; empty for its constructor, "~" for its destructor
  std::vector<std::string> parameters;  ///< names for use in the expressions
  derived::OpKind kind = derived::OpKind::control;
  bool is_static = false;
  bool ignored = false;  ///< kind "ignore": known, and of no use to a checker
  std::vector<RoleExpression> in, out, when;
  std::string applied;   ///< expression: whether the state was changed
  std::string object;    ///< of an open: the object that was made
  std::string space;     ///< of its keys, where a service has several kinds of them
  std::string batch;     ///< the parameter that holds a batch
  int line = 0;          ///< in the model's file
  std::uint16_t op = 0;  ///< index in the schema; none if ignored or a batch
};

struct ClassModel {
  std::string name;  ///< qualified
  std::vector<Method> methods;
  std::vector<RoleExpression> after;  ///< what a cursor shows after each method of kind position
};

/// How the entries of a batch are read: the handler's methods stand for operations.
struct BatchModel {
  std::string type, handler, iterate;
  std::vector<Method> entries;  ///< `name` of the handler's method; `batch` is the operation that it stands for
};

struct Model {
  std::string path;
  std::string system;
  std::vector<std::string> includes;
  std::vector<StatusModel> statuses;
  std::vector<ClassModel> classes;
  std::vector<BatchModel> batches;
  derived::Schema schema;
  bool ordered = false;  ///< keys have an order that cursors follow

  [[nodiscard]] const Method* method(std::uint16_t op) const;
  [[nodiscard]] int op(const std::string& name) const;       ///< -1: none
  [[nodiscard]] int role(const std::string& name) const;     ///< -1: none
  [[nodiscard]] int outcome(const std::string& name) const;  ///< -1: none
};

/// Reads a model. Errors name the file, the line and what is expected there.
Result<Model> read_model(const std::string& path);
Result<Model> parse_model(const std::string& text, const std::string& path);

}  // namespace tenet::from_tests
