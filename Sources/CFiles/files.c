// Files that are compiled in: what browsers load, and the documents that the program itself speaks from.
// The C compiler takes them as bytes. Swift without optimization makes code of them, seven times their size.

#include "files.h"

#include <string.h>

static const unsigned char mock_base_css[] = {
#embed "mock/base.css"
};
static const unsigned char mock_cards_css[] = {
#embed "mock/cards.css"
};
static const unsigned char mock_cards_js[] = {
#embed "mock/cards.js"
};
static const unsigned char mock_core_js[] = {
#embed "mock/core.js"
};
static const unsigned char mock_mock_html[] = {
#embed "mock/mock.html"
};
static const unsigned char mock_phones_js[] = {
#embed "mock/phones.js"
};
static const unsigned char mock_pushes_js[] = {
#embed "mock/pushes.js"
};
static const unsigned char mock_sections_css[] = {
#embed "mock/sections.css"
};
static const unsigned char mock_steering_js[] = {
#embed "mock/steering.js"
};
static const unsigned char mock_stream_js[] = {
#embed "mock/stream.js"
};
static const unsigned char report_base_css[] = {
#embed "report/base.css"
};
static const unsigned char report_cards_css[] = {
#embed "report/cards.css"
};
static const unsigned char report_check_css[] = {
#embed "report/check.css"
};
static const unsigned char report_components_css[] = {
#embed "report/components.css"
};
static const unsigned char report_drawings_css[] = {
#embed "report/drawings.css"
};
static const unsigned char report_hover_js[] = {
#embed "report/hover.js"
};
static const unsigned char run_run_css[] = {
#embed "run/run.css"
};
static const unsigned char run_run_html[] = {
#embed "run/run.html"
};
static const unsigned char run_run_js[] = {
#embed "run/run.js"
};
static const unsigned char glossary_md[] = {
#embed "../../docs/glossary.md"
};
static const unsigned char scenario_schema_json[] = {
#embed "../../docs/scenario.schema.json"
};

static const struct {
    const char *name;
    struct compiled_file file;
} files[] = {
    { "mock/base.css", { mock_base_css, sizeof mock_base_css } },
    { "mock/cards.css", { mock_cards_css, sizeof mock_cards_css } },
    { "mock/cards.js", { mock_cards_js, sizeof mock_cards_js } },
    { "mock/core.js", { mock_core_js, sizeof mock_core_js } },
    { "mock/mock.html", { mock_mock_html, sizeof mock_mock_html } },
    { "mock/phones.js", { mock_phones_js, sizeof mock_phones_js } },
    { "mock/pushes.js", { mock_pushes_js, sizeof mock_pushes_js } },
    { "mock/sections.css", { mock_sections_css, sizeof mock_sections_css } },
    { "mock/steering.js", { mock_steering_js, sizeof mock_steering_js } },
    { "mock/stream.js", { mock_stream_js, sizeof mock_stream_js } },
    { "report/base.css", { report_base_css, sizeof report_base_css } },
    { "report/cards.css", { report_cards_css, sizeof report_cards_css } },
    { "report/check.css", { report_check_css, sizeof report_check_css } },
    { "report/components.css", { report_components_css, sizeof report_components_css } },
    { "report/drawings.css", { report_drawings_css, sizeof report_drawings_css } },
    { "report/hover.js", { report_hover_js, sizeof report_hover_js } },
    { "run/run.css", { run_run_css, sizeof run_run_css } },
    { "run/run.html", { run_run_html, sizeof run_run_html } },
    { "run/run.js", { run_run_js, sizeof run_run_js } },
    { "glossary.md", { glossary_md, sizeof glossary_md } },
    { "scenario.schema.json", { scenario_schema_json, sizeof scenario_schema_json } },
};

struct compiled_file compiled_file(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0) return files[i].file;
    return (struct compiled_file){ 0, 0 };
}
