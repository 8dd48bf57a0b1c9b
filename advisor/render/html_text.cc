#include "advisor/render/html_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/render/json_text.h"
#include "advisor/render/layout.h"
#include "nlohmann/json.hpp"

namespace advisor {

std::string HtmlText(absl::string_view text) {
  // The JSON library knows UTF-8.
  const std::string json =
      JsonText(nlohmann::json(WithoutControlCharacters(text)), -1);
  return absl::StrReplaceAll(nlohmann::json::parse(json).get<std::string>(),
                             {{"&", "&amp;"},
                              {"<", "&lt;"},
                              {">", "&gt;"},
                              {"\"", "&quot;"},
                              {"'", "&#39;"}});
}

std::string HtmlElement(absl::string_view tag, absl::string_view inside) {
  return absl::StrCat("<", tag, ">", inside, "</", tag.substr(0, tag.find(' ')),
                      ">");
}

}  // namespace advisor
