#include <algorithm>
#include <array>

#include "proposer.h"

namespace tenet::training {

bool is_plumbing(std::string_view function) noexcept {
  constexpr std::array<std::string_view, 29> kParts{
      "<locals>",       "<lambda>",         "is_available",    "get_default_dtype", "_VariableFunctionsClass",
      "_call_impl",     "_wrapped",         "is_grad_enabled", "OpOverload",        "utils.data._utils",
      "_recursive_to",  "_to_kwargs",       "_is_namedtuple",  "_reduction",        "torch.overrides",
      "named_children", "named_parameters", "named_modules",   "torch.hub",         "torch.package",
      "is_initialized", "torch._utils",     "grad_mode.",      "is_complex",        "torch.obj",
      "state_dict",     "get_rank",         "get_world_size",  "get_backend"};
  for (const std::string_view part : kParts) {
    if (function.find(part) != std::string_view::npos) return true;
  }
  const auto dot = function.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? function : function.substr(dot + 1);
  if (last == "children" || last == "modules" || last == "parameters") return true;
  return last.starts_with('_') && !last.starts_with("__");
}

bool is_builtin(std::string_view function) noexcept {
  const auto dot = function.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? function : function.substr(dot + 1);
  const std::string_view owner = dot == std::string_view::npos ? std::string_view{} : function.substr(0, dot);
  if (last == "backward") return false;
  return owner == "torch" || owner == "torch.Tensor" || owner == "torch._tensor.Tensor" ||
         owner.starts_with("torch._C") || owner.starts_with("torch.special") || owner.starts_with("torch.linalg");
}

bool is_construction(std::string_view function) noexcept {
  if (!function.starts_with("torch.") || function.starts_with("torch.optim.")) return false;
  const std::string_view last = function.substr(function.rfind('.') + 1);
  return last == "__init__" || last == "__enter__" || last == "__exit__" || last == "reset_parameters" ||
         function.starts_with("torch.nn.init.") || function.starts_with("torch.nn.modules.container.") ||
         last == "register_parameter" || last == "register_buffer" || last == "register_module";
}

bool is_computation(std::string_view function) noexcept {
  const auto dot = function.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? function : function.substr(dot + 1);
  const std::string_view owner = dot == std::string_view::npos ? std::string_view{} : function.substr(0, dot);
  if (last == "autocast" || last == "no_grad") return false;
  return last == "forward" || owner.ends_with("functional") || is_builtin(function);
}

bool is_list_member(std::string_view key) noexcept {
  std::size_t parts = 0;
  while (!key.empty()) {
    const std::string_view part = key.substr(0, key.find('.'));
    if (++parts > 2 && part.find_first_not_of("0123456789") == std::string_view::npos) return true;
    key.remove_prefix(std::min(key.size(), part.size() + 1));
  }
  return false;
}

}  // namespace tenet::training
