#include "generator.h"

#include <initializer_list>
#include <random>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tenet::campaign {

namespace {

enum class Kind { boolean, natural, number, sort, color, host, option, set_of_sort, set_of_hosts, map, table };

struct Name {
  std::string text;
  Kind kind = Kind::boolean;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string protocol() {
    std::string text = "protocol random\n\ntype K\nenum Color { red, green }\n\n";
    m_once_ = chance(4);
    q_once_ = chance(3);
    text += fmt::format("message M(n: nat, k: K){}\nmessage Q(c: Color){}\n", m_once_ ? " at most once" : "",
                        q_once_ ? " at most once" : "");
    carried_ = static_cast<Kind>(static_cast<std::size_t>(Kind::set_of_sort) + below(4));
    text += "message B(b: " + type(carried_) + ")\n\n";
    const bool limit = chance(2);
    if (limit)
      text += pick({"const f: nat\naxiom: f < |R|\n\n", "const f: nat\naxiom: |R| > 2 * f\n\n",
                    "const f: nat = |R| - 1\n\n", "const f: nat\naxiom: |R| - f > 0\n\n"});
    if (limit) constants_.push_back({"f", Kind::natural});
    variables();
    text += "role R {\n";
    if (chance(3)) {
      text += "  const id: nat unique\n";
      own_.push_back({"id", Kind::natural});
    }
    for (const Name& name : variables_)
      text += "  var " + name.text + ": " + type(name.kind) + initial(name.kind) + "\n";
    const std::size_t steps = chance(20) ? 0 : 1 + below(4);
    for (std::size_t s = 0; s < steps; ++s) text += step(s);
    text += "}\n\n";
    const std::size_t properties = 3 + below(3);
    for (std::size_t p = 0; p < properties; ++p) text += property(p);
    text += "\ndeadlock ok\n\n";
    text += "instance one { R = 1  K = 1  nat in 0..2  int in -2..2 }\n";
    text += "instance two { R = 2  K = 2  nat in 0..2  int in -2..2 }\n";
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool chance(std::size_t n) { return below(n) == 0; }
  std::string pick(std::initializer_list<std::string_view> from) {
    return std::string(from.begin()[below(from.size())]);
  }

  void variables() {
    const std::size_t count = 1 + below(4);
    for (std::size_t v = 0; v < count; ++v) {
      variables_.push_back(
          {fmt::format("v{}", v), static_cast<Kind>(below(static_cast<std::size_t>(Kind::table) + 1))});
    }
  }

  static std::string type(Kind kind) {
    switch (kind) {
      case Kind::boolean:
        return "bool";
      case Kind::natural:
        return "nat";
      case Kind::number:
        return "int";
      case Kind::sort:
        return "K";
      case Kind::color:
        return "Color";
      case Kind::host:
        return "R";
      case Kind::option:
        return "option<nat>";
      case Kind::set_of_sort:
        return "set<K>";
      case Kind::set_of_hosts:
        return "set<R>";
      case Kind::map:
        return "map<K, nat>";
      case Kind::table:
        return "K -> nat";
    }
    return {};
  }

  std::string initial(Kind kind) {
    if (chance(5)) return "";
    switch (kind) {
      case Kind::boolean:
        return pick({" = false", " = true"});
      case Kind::natural:
        return pick({" = 0", " = 1", " = |R| - 1"});
      case Kind::number:
      case Kind::table:
        return " = 0";
      case Kind::sort:
        return "";
      case Kind::color:
        return " = red";
      case Kind::host:
        return " = self";
      case Kind::option:
        return pick({" = none", " = some(0)"});
      case Kind::set_of_sort:
      case Kind::map:
        return " = {}";
      case Kind::set_of_hosts:
        return pick({" = {}", " = {self}", " = all R"});
    }
    return "";
  }

  // --- expressions: names in scope, `owner` before those of a host -------------
  std::string named(Kind kind, const std::string& owner) {
    std::vector<std::string> found;
    for (const Name& name : variables_) {
      if (name.kind == kind) found.push_back(owner + name.text);
    }
    for (const Name& name : own_) {
      if (name.kind == kind) found.push_back(owner + name.text);
    }
    for (const Name& name : constants_) {
      if (name.kind == kind) found.push_back(name.text);
    }
    for (const Name& name : locals_) {
      if (name.kind == kind) found.push_back(name.text);
    }
    return found.empty() ? "" : found[below(found.size())];
  }

  std::string natural(int depth, const std::string& owner) {
    const std::string name = named(Kind::natural, owner);
    if (depth <= 0 || chance(3)) return name.empty() || chance(3) ? fmt::format("{}", below(3)) : name;
    switch (below(8)) {
      case 6: {
        const Bound bound(*this, Kind::sort);
        return "(sum " + bound.name + ": K :: " + natural(depth - 1, owner) + ")";
      }
      case 0:
        return natural(depth - 1, owner) + " + 1";
      case 1:
        return "(" + natural(depth - 1, owner) + " - " + natural(0, owner) + ")";
      case 2:
        return "|" + hosts(depth - 1, owner) + "|";
      case 3: {
        const std::string map = named(Kind::map, owner);
        return map.empty() ? "|R|" : map + "[" + sort(owner) + "]";
      }
      case 4: {
        const std::string table = named(Kind::table, owner);
        return table.empty() ? "1" : table + "[" + sort(owner) + "]";
      }
      case 5:
        return "|" + keys(depth - 1, owner) + "|";
      default:
        return "(" + boolean(depth - 1, owner) + " ? " + natural(0, owner) + " : " + natural(0, owner) + ")";
    }
  }

  std::string sort(const std::string& owner) {
    const std::string name = named(Kind::sort, owner);
    return name.empty() ? "k_missing" : name;  // refused by the checker, so another seed
  }

  std::string host(const std::string& owner) {
    const std::string name = named(Kind::host, owner);
    return name.empty() ? "self" : name;
  }

  std::string hosts(int depth, const std::string& owner) {
    const std::string name = named(Kind::set_of_hosts, owner);
    if (depth <= 0 || chance(2)) return name.empty() ? "all R" : name;
    switch (below(4)) {
      case 0:
        return "(" + hosts(depth - 1, owner) + " union {" + host(owner) + "})";
      case 1:
        return "(" + hosts(depth - 1, owner) + " \\ {" + host(owner) + "})";
      case 2:
        return "(" + hosts(depth - 1, owner) + " intersect " + hosts(depth - 1, owner) + ")";
      default: {
        const Bound bound(*this, Kind::host);
        return "{" + bound.name + ": R where " + boolean(depth - 1, owner) + "}";
      }
    }
  }

  std::string keys(int depth, const std::string& owner) {
    const std::string name = named(Kind::set_of_sort, owner);
    if (depth > 0 && chance(3)) {
      const Bound bound(*this, Kind::sort);
      const std::string body = boolean(depth - 1, owner);
      return name.empty() ? "{" + bound.name + ": K where " + body + "}"
                          : "{" + bound.name + " in " + name + " where " + body + "}";
    }
    if (!name.empty()) return name;
    const std::string map = named(Kind::map, owner);
    return map.empty() ? "{" + sort(owner) + "}" : "keys(" + map + ")";
  }

  std::string boolean(int depth, const std::string& owner) {
    const std::string name = named(Kind::boolean, owner);
    if (depth <= 0) {
      if (!name.empty() && chance(2)) return name;
      return natural(0, owner) + pick({" == ", " <= ", " < ", " != "}) + natural(0, owner);
    }
    switch (below(15)) {
      case 13: {
        const std::string map = named(Kind::map, owner);
        if (!map.empty() && chance(2)) return "(" + natural(1, owner) + " in {1, |R|})";
        return "(" + natural(1, owner) + pick({" - 1", " - 2", ""}) + " in {0, 1})";
      }
      case 0:
        return "(" + boolean(depth - 1, owner) + " and " + boolean(depth - 1, owner) + ")";
      case 1:
        return "(" + boolean(depth - 1, owner) + " or " + boolean(depth - 1, owner) + ")";
      case 2:
        return "(" + boolean(depth - 1, owner) + " => " + boolean(depth - 1, owner) + ")";
      case 3:
        return "not (" + boolean(depth - 1, owner) + ")";
      case 4: {
        const Bound bound(*this, Kind::sort);
        return "(" + pick({"forall ", "exists "}) + bound.name + ": K :: " + boolean(depth - 1, owner) + ")";
      }
      case 5: {
        const Bound bound(*this, Kind::host);
        return "(" + pick({"forall ", "exists "}) + bound.name + ": R :: " + boolean(depth - 1, owner) + ")";
      }
      case 6:
        return host(owner) + pick({" in ", " not in "}) + hosts(depth - 1, owner);
      case 7:
        return sort(owner) + pick({" in ", " not in "}) + keys(depth - 1, owner);
      case 8: {
        const std::string option = named(Kind::option, owner);
        if (option.empty()) return "majority(" + hosts(depth - 1, owner) + ")";
        return "(" + option + pick({" == none or ", " != none and "}) + option + pick({" <= ", " == ", " > "}) +
               natural(0, owner) + ")";
      }
      case 9: {
        const std::string number = named(Kind::number, owner);
        return number.empty() ? "majority(" + hosts(depth - 1, owner) + ")" : number + pick({" >= 0", " < 2", " != 1"});
      }
      case 10: {
        const std::string color = named(Kind::color, owner);
        return color.empty() ? host(owner) + " == " + host(owner) : color + pick({" == red", " != green"});
      }
      case 11:
        return keys(depth - 1, owner) + pick({" subset ", " == "}) + keys(depth - 1, owner);
      case 12:
        return hosts(depth - 1, owner) + pick({" == ", " subset "}) + hosts(depth - 1, owner);
      default:
        return natural(depth - 1, owner) + pick({" == ", " <= ", " < ", " != "}) + natural(depth - 1, owner);
    }
  }

  /// A bound variable for as long as it lives.
  struct Bound {
    Bound(Generator& made_by, Kind kind) : generator(made_by), name(fmt::format("b{}", made_by.count_++)) {
      generator.locals_.push_back({name, kind});
    }
    ~Bound() { generator.locals_.pop_back(); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    Generator& generator;
    std::string name;
  };

  // --- steps -------------------------------------------------------------------
  std::string step(std::size_t number) {
    const std::size_t locals = locals_.size();
    std::string head;
    switch (below(6)) {
      case 0:
        head = fmt::format("  receive B(b{0}) from h{0}: R as s{0}", number);
        locals_.push_back({fmt::format("b{}", number), carried_});
        locals_.push_back({fmt::format("h{}", number), Kind::host});
        break;
      case 1:
        head = fmt::format("  step s{0}(b{0}: {1}, k{0}: K)", number, type(carried_));
        locals_.push_back({fmt::format("b{}", number), carried_});
        locals_.push_back({fmt::format("k{}", number), Kind::sort});
        break;
      case 2:
        head = fmt::format("  receive M(n{0}, k{0}) from h{0}: R as s{0}", number);
        locals_.push_back({fmt::format("n{}", number), Kind::natural});
        locals_.push_back({fmt::format("k{}", number), Kind::sort});
        locals_.push_back({fmt::format("h{}", number), Kind::host});
        break;
      case 3:
        head = fmt::format("  receive Q(c{0}) from h{0}: R as s{0}", number);
        locals_.push_back({fmt::format("c{}", number), Kind::color});
        locals_.push_back({fmt::format("h{}", number), Kind::host});
        break;
      default:
        head = fmt::format("  step s{0}(k{0}: K, h{0}: R)", number);
        locals_.push_back({fmt::format("k{}", number), Kind::sort});
        locals_.push_back({fmt::format("h{}", number), Kind::host});
        break;
    }
    if (!chance(3)) head += " when " + boolean(2, "");
    std::string text = head + " {\n";
    const std::size_t statements = 1 + below(3);
    for (std::size_t s = 0; s < statements; ++s) text += statement("    ", 2);
    locals_.resize(locals);
    return text + "  }\n";
  }

  std::string statement(const std::string& indent, int depth) {
    if (depth > 0 && chance(5)) {
      std::string text = indent + "if " + boolean(1, "") + " {\n" + statement(indent + "  ", depth - 1) + indent + "}";
      if (chance(2)) text += " else {\n" + statement(indent + "  ", depth - 1) + indent + "}";
      return text + "\n";
    }
    if (chance(4)) {
      return indent + pick({"send M(", "send M("}) + natural(1, "") + ", " + sort("") + ") to " +
             pick({"all R", "self"}) + "\n";
    }
    if (chance(6)) {
      const std::string color = named(Kind::color, "");
      return indent + "send Q(" + (color.empty() ? "green" : color) + ") to all R\n";
    }
    if (chance(4)) return indent + "send B(" + carried() + ") to " + pick({"all R\n", "self\n"});
    if (chance(8)) {
      const Bound bound(*this, Kind::host);
      return indent + "send M(" + natural(1, "") + ", " + sort("") + ") to each " + bound.name + " in " + hosts(0, "") +
             "\n";
    }
    const Name& target = variables_[below(variables_.size())];
    const auto assign = [&](const std::string& value) { return indent + target.text + " = " + value + "\n"; };
    switch (target.kind) {
      case Kind::boolean:
        return assign(chance(2) ? pick({"true", "false"}) : boolean(1, ""));
      case Kind::natural:
        return assign(natural(2, ""));
      case Kind::number:
        return indent + target.text + pick({" += 1\n", " -= 1\n", " = 0\n"});
      case Kind::sort:
        return assign(sort(""));
      case Kind::color:
        return assign(pick({"red", "green"}));
      case Kind::host:
        return assign(host(""));
      case Kind::option:
        return assign(chance(3) ? "none" : "some(" + natural(1, "") + ")");
      case Kind::set_of_sort:
        if (chance(4)) return assign(keys(2, ""));
        return indent + target.text + pick({" += ", " += ", " -= "}) + sort("") + "\n";
      case Kind::set_of_hosts:
        if (chance(4)) return assign(hosts(2, ""));
        return indent + target.text + pick({" += ", " += ", " -= "}) + host("") + "\n";
      case Kind::map:
        if (chance(4)) return indent + target.text + " -= " + sort("") + "\n";
        return indent + target.text + "[" + sort("") + "] = " + natural(1, "") + "\n";
      case Kind::table: {
        if (!chance(3)) return indent + target.text + "[" + sort("") + "] = " + natural(1, "") + "\n";
        const Bound bound(*this, Kind::sort);
        return assign(bound.name + " => " + natural(1, ""));
      }
    }
    return "";
  }

  /// A value for the message that carries a collection.
  std::string carried() {
    switch (carried_) {
      case Kind::set_of_sort:
        return keys(1, "");
      case Kind::set_of_hosts:
        return hosts(1, "");
      case Kind::map: {
        const std::string map = named(Kind::map, "");
        return map.empty() ? "{}" : map;
      }
      default: {
        const std::string table = named(Kind::table, "");
        if (!table.empty() && chance(2)) return table;
        const Bound bound(*this, Kind::sort);
        return "(" + bound.name + " => " + natural(1, "") + ")";
      }
    }
  }

  // --- properties ----------------------------------------------------------------
  std::string property(std::size_t number) {
    const std::size_t locals = locals_.size();
    std::string text;
    if (chance(4)) {
      const Name& name = variables_[below(variables_.size())];
      text = fmt::format("transition p{}:\n  forall x: R, k: K :: ", number);
      const std::string was = "old(x." + name.text + ")", is = "x." + name.text;
      switch (name.kind) {
        case Kind::boolean:
          text += was + " => " + is;
          break;
        case Kind::natural:
        case Kind::number:
          text += was + pick({" <= ", " >= "}) + is;
          break;
        case Kind::set_of_sort:
        case Kind::set_of_hosts:
          text += chance(2) ? was + " subset " + is : "|" + was + "| <= |" + is + "|";
          break;
        case Kind::map:
          text += "k in keys(" + was + ") => k in keys(" + is + ")";
          break;
        case Kind::option:
          text += was + " != none => " + is + (chance(2) ? " != none" : " == " + was);
          break;
        default:
          text += is + " == " + was;
          break;
      }
    } else {
      text = fmt::format("safety p{}:\n  forall x, y: R, k: K :: ", number);
      locals_.push_back({"k", Kind::sort});
      locals_.push_back({"x", Kind::host});
      locals_.push_back({"y", Kind::host});
      std::string formula = boolean(3, "x.");
      if (chance(4)) {
        const std::string binder = fmt::format("b{}", count_++);
        locals_.push_back({binder, carried_});
        formula = fmt::format("(forall {}: {} :: sent B({}) from x to y => {})", binder, type(carried_), binder,
                              boolean(2, "x."));
      }
      // What arrives at most once cannot be asked about.
      const bool about_m = chance(2);
      if (chance(3) && !(about_m ? m_once_ : q_once_)) {
        formula = (about_m ? "sent M(_, k) from x to y => " : "sent Q(green) => ") + formula;
      }
      text += formula;
    }
    locals_.resize(locals);
    return text + "\n";
  }

  std::mt19937_64 random_;
  Kind carried_ = Kind::map;
  bool m_once_ = false, q_once_ = false;  ///< delivered at most once
  std::vector<Name> variables_, own_, constants_, locals_;
  std::size_t count_ = 0;
};

}  // namespace

std::string random_protocol(std::uint64_t seed) { return Generator(seed).protocol(); }

}  // namespace tenet::campaign
