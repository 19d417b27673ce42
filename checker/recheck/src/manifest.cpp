#include "manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tenet/frontend/frontend.h"
#include "tenet/ir/footprint.h"
#include "tenet/ir/printer.h"

namespace tenet::recheck {

namespace {

using Json = nlohmann::json;

constexpr const char* kManifest = "manifest.json";
constexpr const char* kFormat = "tenet certificate 3";
constexpr const char* kStart = "at the start";
constexpr const char* kSpans = "over any number of steps";
constexpr std::string_view kStep = "step ";
constexpr std::string_view kNothingRead = " (writes nothing it reads)";
constexpr std::string_view kSmallest = "at the smallest ";

bool letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether the text has the operator `old`.
bool has_old(const std::string& text) {
  for (std::size_t at = text.find("old("); at != std::string::npos; at = text.find("old(", at + 1)) {
    if (at == 0 || !letter(text[at - 1])) return true;
  }
  return false;
}

bool is_claim(const Obligation& o) { return o.kind == "property" || o.kind == "lemma" || o.kind == "projection"; }
bool is_fact(const Obligation& o) { return o.kind == "derived fact"; }

std::string measure_key(const Obligation& o) { return o.statement + " / " + o.part; }

/// Everything of a protocol but what formulas add.
std::vector<std::size_t> sizes(const ir::Protocol& p) {
  return {p.enums.size(),     p.sorts.size(),     p.structs.size(),  p.messages.size(), p.roles.size(),
          p.constants.size(), p.variables.size(), p.steps.size(),    p.axioms.size(),   p.inits.size(),
          p.traces.size(),    p.stmts.size(),     p.instances.size()};
}

class Checker {
 public:
  Checker(const Manifest& manifest, const Claims& claims, std::vector<Trouble>& refused)
      : m_(manifest), c_(claims), p_(claims.protocol), refused_(refused) {}

  std::vector<std::unique_ptr<Question>> run();

 private:
  void refuse(std::string what) { refused_.push_back({kManifest, 0, std::move(what)}); }
  std::unique_ptr<Question> question(const Obligation& o);
  std::unique_ptr<Question> fact_question(const Obligation& o, const Statement& statement);
  std::unique_ptr<Question> claim_question(const Obligation& o, const Statement& statement);
  std::unique_ptr<Question> defined_question(const Obligation& o);
  bool about_one_host(const Statement& fact) const;
  bool well_founded(ir::ExprId measure) const;
  void check_use(const Obligation& o, std::size_t index);
  void check_facts();
  void check_properties();
  [[nodiscard]] ir::RoleId role_of(const Statement& fact) const {
    return ir::RoleId(p_[p_[p_[fact.formula].binders[0]].type].declaration);
  }

  const Manifest& m_;
  const Claims& c_;
  const ir::Protocol& p_;
  std::vector<Trouble>& refused_;
  std::map<std::string, std::size_t> shown_;  ///< the last obligation of each statement
  /// Of each fact: which steps keep it, whether it holds at the start, and over spans.
  struct Parts {
    std::map<std::string, std::size_t> seen;  ///< of each name of a step, how often
    std::set<ir::StepId> steps;
    bool start = false, spans = false;
  };
  std::map<std::string, Parts> parts_;
};

/// Only what steps of its own host change: an induction over those is enough.
bool Checker::about_one_host(const Statement& fact) const {
  const ir::Expr& root = p_[fact.formula];
  if (root.op != ir::Op::forall || root.binders.empty() || (root.args.size() > 1 && root.args[1].valid())) return false;
  const ir::LocalId host = root.binders[0];
  if (p_[p_[host].type].kind != ir::TypeKind::host) return false;
  const std::function<bool(ir::ExprId)> own = [&](ir::ExprId id) {
    const ir::Expr& node = p_[id];
    if (node.op == ir::Op::sent) return false;
    if (node.op == ir::Op::state_var) {
      const ir::Expr& owner = p_[node.args[0]];
      return owner.op == ir::Op::local && ir::LocalId(owner.ref) == host;
    }
    return std::all_of(node.args.begin(), node.args.end(), [&](ir::ExprId arg) { return !arg.valid() || own(arg); });
  };
  return own(root.args[0]);
}

std::unique_ptr<Question> Checker::fact_question(const Obligation& o, const Statement& statement) {
  auto made = std::make_unique<Question>();
  made->about = &statement;
  if (!about_one_host(statement)) {
    refuse("'" + o.statement + "' is no fact about one host");
    return nullptr;
  }
  Parts& parts = parts_[o.statement];
  if (o.part == kStart) {
    parts.start = true;
    made->ask = Ask::at_start;
    return made;
  }
  if (o.part == kSpans) {
    parts.spans = true;
    made->ask = Ask::over_steps;
    return made;
  }
  std::string name = o.part;
  const bool by_text = name.ends_with(kNothingRead);
  if (by_text) name.resize(name.size() - kNothingRead.size());
  if (!name.starts_with(kStep)) {
    refuse("'" + o.part + "' is no part of showing a fact");
    return nullptr;
  }
  name.erase(0, kStep.size());
  std::size_t skip = parts.seen[name]++;
  for (const ir::StepId step : p_[role_of(statement)].steps) {
    if (p_[step].name != name || skip-- != 0) continue;
    parts.steps.insert(step);
    if (!by_text) {
      made->ask = Ask::by_step;
      made->step = step;
      return made;
    }
    if (!o.file.empty()) break;
    if (!ir::changed_by(p_, step).meets(ir::read_by(p_, statement.formula))) return nullptr;
    refuse("step " + name + " writes what '" + o.statement + "' reads");
    return nullptr;
  }
  refuse("'" + o.part + "' is no step of the host that '" + o.statement + "' speaks of");
  return nullptr;
}

/// Whether there is a smallest one among any values that a run has.
bool Checker::well_founded(ir::ExprId measure) const {
  const std::function<bool(ir::TypeId)> is = [&](ir::TypeId type) {
    const ir::Type t = p_[type];
    switch (t.kind) {
      case ir::TypeKind::natural:
        return true;
      case ir::TypeKind::sort:
        return p_.sorts[t.declaration].ordered;
      case ir::TypeKind::structure: {
        const auto& fields = p_.structs[t.declaration].fields;
        return p_.structs[t.declaration].ordered &&
               std::all_of(fields.begin(), fields.end(), [&](const ir::FieldDecl& field) { return is(field.type); });
      }
      default:
        return false;
    }
  };
  return is(p_[measure].type);
}

std::unique_ptr<Question> Checker::claim_question(const Obligation& o, const Statement& statement) {
  auto made = std::make_unique<Question>();
  made->about = &statement;
  if (o.part.starts_with(kSmallest)) {
    const auto found = c_.measures.find(measure_key(o));
    if (found == c_.measures.end() || statement.two_state || !well_founded(found->second.second)) {
      refuse("'" + o.part + "' is no measure for '" + o.statement + "'");
      return nullptr;
    }
    made->ask = Ask::smallest;
    made->binders = found->second.first;
    made->expr = found->second.second;
    return made;
  }
  const bool at_first = o.part == "at the first time it fails" ||
                        o.part == "at the first time one of the group fails" ||
                        o.part == "at the first time one of them fails";
  made->ask = statement.two_state ? Ask::by_event : Ask::at_end;
  if (statement.two_state ? o.part == "after any step" : at_first) return made;
  refuse("'" + o.part + "' is no way to show '" + o.statement + "'");
  return nullptr;
}

std::unique_ptr<Question> Checker::defined_question(const Obligation& o) {
  std::vector<Question> found;
  for (auto& [name, question] : definedness(m_, c_)) {
    if (name == o.statement) found.push_back(std::move(question));
  }
  if (found.empty()) refuse("nothing in the source is '" + o.statement + "'");
  // Of several that are called the same it is not known which one this shows: `unshown` has them all.
  if (found.size() != 1) return nullptr;
  if (found[0].ask == Ask::defined_start && !o.uses.empty()) {
    refuse("'" + o.statement + "' uses a claim: claims are of executions that have begun");
    return nullptr;
  }
  return std::make_unique<Question>(std::move(found[0]));
}

/// What is used at all times must be shown before, what is used only of earlier times anywhere.
void Checker::check_use(const Obligation& o, std::size_t index) {
  for (const ManifestUse& use : o.uses) {
    const auto shown = shown_.find(use.statement);
    if (shown == shown_.end()) {
      refuse(fmt::format("'{}' uses '{}', which nothing shows", o.statement, use.statement));
    } else if (!use.earlier && shown->second >= index) {
      refuse(fmt::format("'{}' uses '{}', which is not shown before it: that is circular", o.statement, use.statement));
    }
  }
}

std::unique_ptr<Question> Checker::question(const Obligation& o) {
  const auto found = c_.statements.find(o.statement);
  if (found == c_.statements.end()) {
    refuse("nothing is known of '" + o.statement + "'");
    return nullptr;
  }
  if (is_fact(o) != found->second.fact) {
    refuse("'" + o.statement + "' is shown as two different things");
    return nullptr;
  }
  return is_fact(o) ? fact_question(o, found->second) : claim_question(o, found->second);
}

/// Every step keeps a fact, and it holds at the start or over any number of steps.
void Checker::check_facts() {
  for (const auto& [text, statement] : c_.statements) {
    if (!statement.fact) continue;
    const Parts& parts = parts_[text];
    if (!about_one_host(statement)) continue;
    for (const ir::StepId step : p_[role_of(statement)].steps) {
      if (!parts.steps.contains(step)) refuse("nothing shows that step " + p_[step].name + " keeps '" + text + "'");
    }
    if (statement.two_state ? !parts.spans : !parts.start) {
      refuse("nothing shows '" + text + "' " + (statement.two_state ? kSpans : kStart));
    }
  }
}

void Checker::check_properties() {
  for (const ir::Property& property : p_.properties) {
    if (property.kind == ir::PropertyKind::reachable || !c_.statements.contains(property.name)) continue;
    if (std::find(m_.properties.begin(), m_.properties.end(), property.name) == m_.properties.end()) {
      refuse("property '" + property.name + "' of the source is missing");
    }
    if (m_.proved.contains(property.name) && !shown_.contains(property.name)) {
      refuse("nothing shows property '" + property.name + "'");
    }
  }
  for (const std::string& name : m_.properties) {
    if (!c_.statements.contains(name)) refuse("the source has no property '" + name + "'");
  }
}

std::vector<std::unique_ptr<Question>> Checker::run() {
  for (std::size_t i = 0; i < m_.obligations.size(); ++i) {
    const Obligation& o = m_.obligations[i];
    if (is_claim(o) || is_fact(o)) shown_[o.statement] = i;
  }
  std::vector<std::unique_ptr<Question>> made;
  for (std::size_t i = 0; i < m_.obligations.size(); ++i) {
    const Obligation& o = m_.obligations[i];
    made.push_back(nullptr);
    if (o.kind == "sanity") continue;  // no claim rests on it
    check_use(o, i);
    if (is_claim(o) || is_fact(o)) {
      made.back() = question(o);
    } else if (o.kind == "well-defined") {
      made.back() = defined_question(o);
    } else {
      refuse("an obligation of kind '" + o.kind + "'");
    }
    if (!made.back()) continue;
    if (o.file.empty()) refuse("'" + o.statement + "', " + o.part + ": there is no file for it");
    if (made.back()->axioms.empty() && o.kind != "well-defined") made.back()->axioms = p_.axioms;
    if (o.kind != "well-defined") made.back()->inits = p_.inits;
    for (const ManifestUse& use : o.uses) {
      const auto what = c_.statements.find(use.statement);
      if (what != c_.statements.end()) made.back()->uses.push_back({&what->second, use.earlier});
    }
  }
  check_facts();
  check_properties();
  return made;
}

}  // namespace

Result<Manifest> read_manifest(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kFormat) {
      return failure(ErrorKind::bad_input, fmt::format("{}: the format is not '{}'", kManifest, kFormat));
    }
    Manifest made;
    made.protocol = json.at("protocol");
    made.path = json.at("path");
    made.text = json.at("text");
    for (const Json& claim : json.at("claims")) {
      made.properties.push_back(claim.at("property"));
      if (claim.at("proved").get<bool>()) made.proved.insert(made.properties.back());
    }
    if (!json.at("well_defined").get<bool>()) made.proved.clear();
    for (const Json& o : json.at("obligations")) {
      Obligation one{o.at("kind"), o.at("statement"), o.at("part"), o.at("solver"), o.value("file", std::string()), {}};
      for (const Json& use : o.at("uses")) one.uses.push_back({use.at("statement"), use.at("earlier")});
      made.obligations.push_back(std::move(one));
    }
    return made;
  } catch (const Json::exception& error) {
    return failure(ErrorKind::bad_input, fmt::format("{}: {}", kManifest, error.what()));
  }
}

Result<Claims> read_claims(const Manifest& manifest, std::vector<Trouble>& refused) {
  const SourceFile source(manifest.path, manifest.text);
  if (frontend::language_of(source) != frontend::Language::tenet) {
    return failure(ErrorKind::unsupported, "certificates of files in mypyvy's language");
  }
  const frontend::Loaded original = frontend::load_protocol(source);
  if (!original.protocol) {
    return failure(ErrorKind::bad_input, fmt::format("{}: the source in it has errors", kManifest));
  }
  const ir::Protocol& p = *original.protocol;
  if (p.name != manifest.protocol) refused.push_back({kManifest, 0, "the source is of protocol '" + p.name + "'"});
  for (const ir::MessageDecl& message : p.messages) {
    if (message.delivery != ir::Delivery::any) {
      return failure(ErrorKind::unsupported, "certificates of protocols with messages that are delivered at most once");
    }
  }
  for (const ir::SortDecl& sort : p.sorts) {
    // Numbers stand for their values, and there are more numbers than a type need have values.
    if (sort.ordered)
      return failure(ErrorKind::unsupported, "certificates of protocols with uninterpreted types in order");
  }
  Claims made;
  std::set<std::string> names;
  for (const ir::Property& property : p.properties) names.insert(property.name);
  // What the certificate came up with, as properties after those of the source.
  std::string text = manifest.text + "\n";
  std::vector<const Obligation*> added;
  std::set<std::string> seen;
  const auto add = [&](const Obligation& o, const std::string& formula) {
    text += fmt::format("{} recheck_{}: {}\n", has_old(formula) ? "transition" : "lemma", added.size(), formula);
    added.push_back(&o);
  };
  for (const Obligation& o : manifest.obligations) {
    if (!is_claim(o) && !is_fact(o)) continue;
    if (!names.contains(o.statement) && seen.insert(o.statement).second) add(o, o.statement);
  }
  const std::size_t statements = added.size();
  for (const Obligation& o : manifest.obligations) {
    if (!is_claim(o) || !o.part.starts_with(kSmallest)) continue;
    const std::string measure = o.part.substr(kSmallest.size());
    const std::size_t body = o.statement.find(" :: ");
    if (names.contains(o.statement) || body == std::string::npos) continue;
    add(o, fmt::format("{} :: {} == {}", o.statement.substr(0, body), measure, measure));
  }
  const frontend::Loaded loaded = frontend::load_protocol(SourceFile(manifest.path, text));
  if (!loaded.protocol || loaded.protocol->properties.size() != p.properties.size() + added.size() ||
      sizes(*loaded.protocol) != sizes(p)) {
    std::string why;
    for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) {
      if (why.empty() && diagnostic.severity == Severity::error) why = ": " + diagnostic.message;
    }
    refused.push_back({kManifest, 0, "a statement is no formula of the language" + why});
    return made;
  }
  made.protocol = *loaded.protocol;
  const auto statement = [&](const std::string& name, ir::ExprId formula, bool fact) {
    const bool two_state = ir::read_by(made.protocol, formula).two_states;
    made.statements.emplace(name, Statement{name, formula, fact, two_state});
  };
  for (const ir::Property& property : p.properties) {
    if (property.kind != ir::PropertyKind::reachable) {
      made.statements.emplace(property.name, Statement{property.name, property.formula, false,
                                                       property.kind == ir::PropertyKind::transition});
    }
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    const ir::ExprId formula = made.protocol.properties[p.properties.size() + i].formula;
    if (i < statements) {
      statement(added[i]->statement, formula, is_fact(*added[i]));
      continue;
    }
    const ir::Expr& all = made.protocol[formula];
    if (all.op != ir::Op::forall || made.protocol[all.args[0]].op != ir::Op::eq) continue;
    made.measures[measure_key(*added[i])] = {all.binders, made.protocol[all.args[0]].args[0]};
  }
  made.protocol.properties.resize(p.properties.size());
  return made;
}

std::vector<std::unique_ptr<Question>> questions(const Manifest& manifest, const Claims& claims,
                                                 std::vector<Trouble>& refused) {
  return Checker(manifest, claims, refused).run();
}

bool reads_defined_constant(const ir::Protocol& p, ir::ExprId id) {
  if (!id.valid()) return false;
  const ir::Expr& e = p[id];
  const bool constant = e.op == ir::Op::host_const || e.op == ir::Op::global_const;
  if (constant && p[ir::ConstId(e.ref)].kind == ir::ConstKind::defined) return true;
  return std::any_of(e.args.begin(), e.args.end(), [&](ir::ExprId arg) { return reads_defined_constant(p, arg); });
}

std::vector<std::pair<std::string, Question>> definedness(const Manifest& manifest, Claims claims) {
  ir::Protocol& p = claims.protocol;
  smt::TermManager terms;
  Meaning meaning(p, terms, {});
  std::map<std::string, std::size_t> listed;  // the last obligation about it
  for (std::size_t i = 0; i < manifest.obligations.size(); ++i) {
    if (manifest.obligations[i].kind == "well-defined") listed[manifest.obligations[i].statement] = i;
  }
  std::vector<std::pair<std::string, Question>> asked;
  // By the text alone, without asking anybody.
  const auto by_itself = [&](ir::ExprId expr, ir::RoleId role) {
    try {
      Env env;
      env.time = terms.integer(0);
      if (role.valid()) env.self = meaning.host(role, terms.constant("self", meaning.role_sort(role)));
      return meaning.defined(expr, env).is_true();
    } catch (const Refused&) {
      return false;
    }
  };
  const auto at_start = [&](const std::string& name, ir::ExprId expr, ir::RoleId role, bool axioms, bool inits) {
    if (by_itself(expr, role)) return;
    Question question;
    question.ask = Ask::defined_start;
    question.expr = expr;
    question.role = role;
    // What is relied on must be there itself, and not because of this: by its text, or shown before. Of formulas of one
    // kind those come first that the certificate lists, in its order, then the others, in that of the text; constants
    // are before all formulas, and those before all initialisers.
    const bool constant = name.starts_with("constant ");
    const auto those_before = [&](const char* kind, const std::vector<ir::Formula>& formulas,
                                  std::vector<ir::Formula>& out) {
      std::map<ir::ExprId, std::size_t> place;
      for (std::size_t i = 0; i < formulas.size(); ++i) {
        const auto found = listed.find(kind + ir::to_source(p, formulas[i].formula));
        place[formulas[i].formula] = found != listed.end() ? found->second : manifest.obligations.size() + i;
      }
      const auto here = place.find(expr);
      for (const ir::Formula& formula : formulas) {
        if (formula.formula == expr || (constant && reads_defined_constant(p, formula.formula))) continue;
        const bool before = !constant && (here == place.end() || place.at(formula.formula) < here->second);
        if (before || by_itself(formula.formula, {})) out.push_back(formula);
      }
    };
    if (axioms) those_before("axiom ", p.axioms, question.axioms);
    if (inits) those_before("init ", p.inits, question.inits);
    asked.emplace_back(name, question);
  };
  for (const ir::Formula& axiom : p.axioms) {
    at_start("axiom " + ir::to_source(p, axiom.formula), axiom.formula, {}, true, false);
  }
  for (const ir::ConstDecl& constant : p.constants) {
    if (constant.kind == ir::ConstKind::defined) {
      at_start("constant " + constant.name, constant.value, constant.role, true, false);
    }
  }
  for (const ir::VarDecl& var : p.variables) {
    if (var.init.valid()) {
      at_start(p[var.role].name + "." + var.name + " at the start", var.init, var.role, true, false);
    }
  }
  for (const ir::Formula& init : p.inits) {
    at_start("init " + ir::to_source(p, init.formula), init.formula, {}, true, true);
  }
  for (std::size_t s = 0; s < p.steps.size(); ++s) {
    const std::string name = p[p.steps[s].role].name + ", " + p.steps[s].name;
    Question question;
    question.ask = Ask::defined_step;
    question.step = ir::StepId(s);
    question.axioms = p.axioms;
    question.inits = p.inits;
    asked.emplace_back(name, question);
  }
  return asked;
}

std::vector<std::pair<std::string, Question>> unshown(const Manifest& manifest, const Claims& claims) {
  std::set<std::string> shown;
  for (const Obligation& o : manifest.obligations) {
    if (o.kind == "well-defined") shown.insert(o.statement);
  }
  auto asked = definedness(manifest, claims);
  // An obligation shows what it names, if only one thing is called so.
  std::map<std::string, int> called;
  for (const auto& [name, question] : asked) ++called[name];
  std::erase_if(asked, [&](const auto& one) { return shown.contains(one.first) && called[one.first] == 1; });
  return asked;
}

}  // namespace tenet::recheck
